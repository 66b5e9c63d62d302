/**
 * The effects of the statements listed in `structure/postgres/refused-by-citus.ts` on a real cluster: harmless forms
 * must not be listed. Run only by `test/citus.ts`.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { makeScratch, type Scratch } from '../engines/scratch.ts';
import { refusedForms } from '../structure/postgres/refused-by-citus.ts';

suite('on a cluster', () => {
  let scratch: Scratch;
  let client: pg.Client;
  /** The commands that the coordinator sent to workers. */
  let commands: string[] = [];

  before(async () => {
    scratch = await makeScratch();
    client = new pg.Client({ connectionString: scratch.settings.storage });
    client.on('notice', ({ message = '' }) => void (message.startsWith('issuing ') && commands.push(message)));
    await client.connect();
    for (const schema of ['rowhouse_directory', 'rowhouse_space_1', 'rowhouse_space_2']) {
      await client.query(`SET citus.enable_schema_based_sharding = ${schema === 'rowhouse_directory' ? 'off' : 'on'}`);
      await client.query(`CREATE SCHEMA ${schema}`);
      await client.query(`CREATE TABLE ${schema}.record (id text PRIMARY KEY, time bigint)`);
    }
    await client.query('SET citus.log_remote_commands = on');
  });

  after(async () => {
    await client.end();
    await scratch.remove();
  });

  async function leadsTo(statement: string): Promise<string> {
    commands = [];
    const failed = await client.query(statement).then(
      () => false,
      () => true,
    );
    if (failed) return 'an error';
    if (commands.some((command) => command.includes('PREPARE TRANSACTION'))) return 'two phases';
    return commands.length > 1 ? 'several commands' : 'one command';
  }

  test('statements of one command are distinguished from others', async () => {
    const from = `FROM rowhouse_space_1.record AS r, unnest('{a}'::text[]) AS item(id)`;
    assert.equal(await leadsTo(`INSERT INTO rowhouse_space_1.record (id) SELECT item.id ${from}`), 'one command');
    assert.equal(await leadsTo(`SELECT item.id ${from} FOR UPDATE OF r`), 'one command');
  });

  for (const form of refusedForms) {
    test(`${form.name} leads to ${form.leadsTo}`, async () => assert.equal(await leadsTo(form.example), form.leadsTo));
  }
});
