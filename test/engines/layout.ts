/**
 * The layout of an empty installation, created once for the tests of a run, because creating it costs more than most
 * tests.
 */
import { pino } from 'pino';
import { withClient } from '../../lab/machine/client.ts';
import { secretKey } from '../../lab/machine/scratch.ts';
import { makeDatabase } from '../../lab/machine/scratch-database.ts';
import { defaults } from '../../src/config.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { openStorage } from '../../src/storage/open.ts';

/** @returns the address of a database to copy, without connections */
export async function layOut(server: string): Promise<string> {
  const { url } = await makeDatabase(server);
  const settings = { ...defaults, storage: url, secretKey };
  const storage = await openStorage(settings, systemEnvironment, pino({ level: 'silent' }));
  await storage.close();
  // The first connection after a change of tables writes a file that makes further ones cheap; the copies have it, too.
  await withClient(url, (client) => client.query('SELECT'));
  return url;
}
