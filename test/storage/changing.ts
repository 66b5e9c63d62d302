/** A process that adds a column and indexes to the table of tasks in data space 1, and may be killed meanwhile. */
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { openStorage } from '../../src/storage/open.ts';
import { changeOf, column } from './scratch.ts';

const settings = { ...defaults, storage: process.argv[2] as string };
const storage = await openStorage(settings, systemEnvironment, pino({ level: 'silent' }));
const definition = await storage.spaces.definition(1);
await storage.spaces.define(
  1,
  changeOf(definition, {
    newColumns: [{ table: 'task', columns: [column('due', { kind: 'datetime' })] }],
    newIndexes: [{ table: 'task', indexes: ['due', 'objectId'].map((name) => ({ columns: [name], unique: false })) }],
  }),
);
await storage.close();
