/**
 * Serves the demo with the settings of the first argument, until it is killed; prints the address on its first line.
 */
import { pino } from 'pino';
import { defaults, type Settings } from '../../src/config.ts';
import { startRowhouse } from '../../src/main.ts';

const settings: Settings = { ...defaults, ...JSON.parse(process.argv[2] as string), port: 0 };
const { url } = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
console.log(url);
