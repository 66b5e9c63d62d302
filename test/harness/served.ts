/** Serves the folder of the first argument with the demo, until it is killed; tells the address on its first line. */
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { startRowhouse } from '../../src/main.ts';

const settings = { ...defaults, port: 0, storage: `sqlite:${process.argv[2]}` };
const { url } = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
console.log(url);
