/** `rowhouse check`: an intact installation has no faults, and every inconsistency is named, with status 1. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import type { Store } from '../../src/storage/transfer.ts';
import { scratchOf, type TestScratch } from '../engines/scratch.ts';
import { openScratch } from '../storage/scratch.ts';
import { tampering } from '../storage/tampering.ts';

interface Checked {
  readonly status: number;
  readonly text: string;
  readonly installation: string | null;
  readonly dataSpaces: number;
  readonly findings: readonly { readonly severity: string; readonly place: string; readonly problem: string }[];
}

async function type(scratch: TestScratch, words: readonly string[], variables: Record<string, string> = {}) {
  const [out, error]: [string[], string[]] = [[], []];
  const status = await run(words, {
    variables: { ...scratch.variables, ...variables },
    isTerminal: false,
    out: (text) => void out.push(text),
    error: (text) => void error.push(text),
  });
  return { status, out: out.join('\n'), error: error.join('\n') };
}

async function check(scratch: TestScratch, variables?: Record<string, string>): Promise<Checked> {
  const plain = await type(scratch, ['check'], variables);
  const { status, out, error } = await type(scratch, ['check', '--json'], variables);
  assert.equal(plain.status, status);
  assert.equal(out.startsWith('{'), true, error);
  return { status, text: plain.out, ...JSON.parse(out) };
}

const keyA = { ROWHOUSE_SECRET_KEY: 'a1'.repeat(32), ROWHOUSE_CLIENT_SECRET: 'hidden' };

/** Two versions, each with a data space; a client with a secret under key A. */
async function installation(t: TestContext) {
  const scratch = await scratchOf(t);
  const application = ['--company', '1', '--app', 'crm'];
  const client = [
    '--provider',
    'idp',
    '--issuer',
    'https://idp.example.com',
    '--client-id',
    'c1',
    '--redirect-uri',
    'https://x.example.com/',
  ];
  for (const words of [
    ['company', 'add', '--name', 'One'],
    ['app', 'add', ...application],
    ['version', 'add', ...application, '--version', '1.0.0'],
    ['version', 'add', ...application, '--version', '2.0.0'],
    ['client', 'add', ...application, ...client],
  ]) {
    const { status, error } = await type(scratch, words, keyA);
    assert.equal(status, 0, error);
  }
  return { scratch, tamper: tampering(scratch) };
}

test('the check finds no faults in an intact installation, and reports a missing key', async (t) => {
  const { scratch, tamper } = await installation(t);
  const { status, installation: id, dataSpaces, findings, text } = await check(scratch, keyA);
  assert.deepEqual([status, id, dataSpaces, findings], [0, await tamper.installation(), 2, []], text);
  assert.match(text, /^Installation [0-9a-f]{32} in .*, 2 data spaces: no faults\.$/);
  const other = await check(scratch, { ROWHOUSE_SECRET_KEY: 'b2'.repeat(32) });
  assert.equal(other.status, 1);
  assert.match(
    other.text,
    /fault .*key [0-9a-f]{8} is not available.*client c1 of provider idp of company 1, application crm/,
  );
  assert.doesNotMatch(other.text, /hidden|v1\./);
});

test('swapped, missing, left-over, older and unidentified parts are named', async (t) => {
  const { scratch, tamper } = await installation(t);
  const faults = async () =>
    (await check(scratch, keyA)).findings.map(({ severity, problem }) => `${severity}: ${problem}`);
  const harmed = async (store: Store, harm: string, undo: string, told: RegExp) => {
    await tamper.run(store, harm);
    assert.match((await faults()).join('\n'), told);
    await tamper.run(store, undo);
    assert.deepEqual(await faults(), []);
  };
  const id = await tamper.installation();
  await tamper.swap(1, 2);
  assert.deepEqual(
    (await faults()).map((fault) => /fault: It is (data space \d) of installation (\w+); here/.exec(fault)?.slice(1)),
    [
      ['data space 2', id],
      ['data space 1', id],
    ],
  );
  await tamper.swap(1, 2);
  await harmed(
    'logs',
    `UPDATE _identity SET installation = 'ff'`,
    `UPDATE _identity SET installation = '${id}'`,
    /fault: It is the logs of installation ff/,
  );
  await harmed(
    1,
    'UPDATE _identity SET installation = NULL',
    `UPDATE _identity SET installation = '${id}'`,
    /fault: It has no identity/,
  );
  await harmed(
    2,
    'UPDATE _identity SET user_id_max = 9',
    'UPDATE _identity SET user_id_max = 0',
    /fault: It has seen the id 9 of "user", and the directory handed out 0 at most/,
  );
  await harmed(
    2,
    "INSERT INTO _tombstone (table_id, object_id, time, seq, audience) VALUES (1, 'x', 1, 9, 'a')",
    'DELETE FROM _tombstone',
    /fault: Its counter of commits is at 0, and a record or tombstone has the number 9/,
  );
  const insert =
    "INSERT INTO app_version (company_id, app_id, version, space_id, created) VALUES (1, 'crm', '2.0.0', 2, 1)";
  await harmed('directory', 'DELETE FROM app_version WHERE space_id = 2', insert, /note: No version uses it/);
  await tamper.run('directory', "INSERT INTO data_space (company_id, app_id, created) VALUES (1, 'crm', 1)");
  assert.match((await faults()).join(), /note: It names data space 3 .* never created/);
  await tamper.run('directory', 'UPDATE app_version SET space_id = 3 WHERE space_id = 2');
  assert.match(
    (await faults()).join(),
    /fault: It names data space 3 of company 1, application crm, which is not there/,
  );
  await tamper.run('directory', 'UPDATE app_version SET space_id = 1 WHERE space_id = 3');
  await tamper.rewind({ data_space: 1 });
  const older = (await faults()).join();
  assert.match(older, /fault: The directory does not list it/);
  assert.match(older, /fault: It is older than data space 2: it has numbered 1/);
});

test('parts older than identities cause a note, and nothing is changed', async (t) => {
  const { scratch, tamper } = await installation(t);
  await tamper.toLayoutBefore(['directory', 'logs', 1, 2]);
  const { status, installation: id, text } = await check(scratch, keyA);
  assert.deepEqual([status, id], [0, null], text);
  assert.match(text, /no identity yet; the next start gives one/);
  assert.equal((await check(scratch, keyA)).installation, null);
});

test('beside a running service it is refused', async (t) => {
  const { scratch } = await installation(t);
  const { storage } = await openScratch(t, { place: scratch });
  await storage.check();
  const { status, error } = await type(scratch, ['check']);
  assert.equal(status, 1);
  assert.match(error, /Another Rowhouse server is using|A Rowhouse service is connected/);
});
