/** Administrators and passwords on the command line: passwords are not read from it, and appear nowhere. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { scratchOf } from '../engines/scratch.ts';
import { bareVariables } from '../harness/bare.ts';

const first = 'first password of the tests';
const second = 'second password of the tests';

async function commandLine(t: TestContext) {
  const { variables: place, contents } = await scratchOf(t);
  const variables = {
    ...place,
    ROWHOUSE_SECRET_KEY: 'c1'.repeat(32),
    ROWHOUSE_READER_THREADS: '1',
    ROWHOUSE_WRITER_THREADS: '1',
  };
  const type = async (line: string, secret = first) => {
    const lines: string[] = [];
    const note = (text: string) => void lines.push(text);
    const secrets = async () => secret;
    const status = await run(line.split(' '), {
      variables,
      isTerminal: false,
      out: note,
      error: note,
      secret: secrets,
    });
    return `${status} ${lines.join('\n')}`;
  };
  return { type, contents, variables };
}

test('administrators are added, shown and given a password, and one is always enabled', async (t) => {
  const { type, contents } = await commandLine(t);
  assert.equal(
    await type('administrator add --account ann --email Ann@example.com'),
    '0 Administrator 1 "ann" was added.',
  );
  assert.match(await type('administrator add --account Ann'), /^1 .*there is already an administrator "ann"/);
  assert.match(await type('administrator add --account ben', 'short'), /^1 .*expected at least .*passwordLengthMin/);
  assert.match(await type('administrator add --account a-long-account', 'A-long-account'), /^1 .*easily guessed/);
  assert.match(await type('administrator add --account ben --no-password'), /^0 Administrator \d+ "ben" was added\.$/);
  const listed = JSON.parse((await type('administrator list --json')).slice(2));
  assert.deepEqual(
    listed.map((one: Record<string, unknown>) => [one.account, one.email, one.hasPassword, one.disabled]),
    [
      ['ann', 'ann@example.com', true, false],
      ['ben', null, false, false],
    ],
  );
  assert.equal(await type('administrator disable --account ANN'), '0 Administrator "ann" is disabled now.');
  assert.match(await type('administrator disable --account ben'), /^1 .*the last enabled administrator/);
  assert.equal(await type('administrator enable --account ann'), '0 Administrator "ann" is enabled now.');
  assert.equal(await type('administrator password --account ben', second), '0 Administrator "ben" has a new password.');
  assert.match(await type('administrator password --account zoe'), /^1 .*no administrator "zoe"/);
  assert.match(await type(`administrator password --account ben --password ${second}`), /^2 .*--password/);
  const audit = await type('audit list --json');
  for (const act of ['create', 'disable', 'enable', 'password'])
    assert.match(audit, new RegExp(`administrator.${act}`));
  for (const secret of [first, second, 'argon2']) assert.ok(!audit.includes(secret), secret);
  assert.ok(!(await contents()).includes(first));
});

test('a user gets a password, and an application accepts it', async (t) => {
  const { type } = await commandLine(t);
  for (const line of [
    'company add --name Acme',
    'app add --company 1 --app crm',
    'user add --company 1 --account uma',
    'app update --company 1 --app crm --local-accounts on',
  ]) {
    assert.match(await type(line), /^0 /, line);
  }
  assert.match(await type('app show --company 1 --app crm'), /local accounts +yes/);
  assert.match(await type('app update --company 1 --app crm --local-accounts off'), /^0 /);
  assert.match(await type('app show --company 1 --app crm'), /local accounts +no/);
  assert.equal(await type('user password --company 1 --user uma'), '0 User 1 "uma" has a new password now.');
  assert.equal(await type('user password --company 1 --user uma --remove'), '0 User 1 "uma" has no password now.');
  assert.match(await type('user password --company 2 --user uma'), /^1 .*no user "uma"/);
});

test('a password comes from a pipe, and an empty pipe is reported', async (t) => {
  const { variables } = await commandLine(t);
  const program = new URL('../../src/cli/main.ts', import.meta.url).pathname;
  const piped = async (line: string, input: string) => {
    const child = spawn(process.execPath, [program, ...line.split(' ')], {
      env: { ...bareVariables, ...variables },
    });
    child.stdin.end(input);
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return `${out}${error}`.trim();
  };
  assert.match(await piped('administrator add --account ann', ''), /A password is needed/);
  assert.equal(await piped('administrator add --account ann', `${first}\r\n`), 'Administrator 1 "ann" was added.');
});
