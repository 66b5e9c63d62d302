/** How passwords are stored, rules for new ones, and how many are hashed at once. */
import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { describe, test } from 'node:test';
import { checkedPassword, mayBePassword, openPasswords } from '../../../src/auth/local/passwords.ts';
import { defaults } from '../../../src/config.ts';
import { systemEnvironment } from '../../../src/environment.ts';
import { refusal } from '../world.ts';

const cheap = { ...defaults, passwordMemoryBytes: 7 * 1024 * 1024, passwordPasses: 1 };
const passwords = openPasswords(cheap, systemEnvironment);

describe('a stored password', () => {
  test('is the argon2id hash for the salt and parameters in its text', async () => {
    const stored = await passwords.hash('a password');
    const [, kind, version, parameters, salt = '', digest] = stored.split('$');
    assert.deepEqual([kind, version, parameters], ['argon2id', 'v=19', 'm=7168,t=1,p=1']);
    const message = Buffer.from('a password');
    const nonce = Buffer.from(salt, 'base64');
    const bytes = argon2Sync('argon2id', { message, nonce, memory: 7168, passes: 1, parallelism: 1, tagLength: 32 });
    assert.equal(bytes.toString('base64').replace(/=+$/, ''), digest);
    assert.equal(nonce.length, 16);
    assert.notEqual(await passwords.hash('a password'), stored);
  });

  test('differs from every other, and from none', async () => {
    const stored = await passwords.hash('Ünïcode №1');
    const cases: readonly (readonly [string, boolean])[] = [
      ['Ünïcode №1', true],
      ['Ünïcode №1'.normalize('NFD'), true],
      ['Ünïcode No1', true],
      ['ünïcode №1', false],
      ['', false],
      ['Ünïcode №1 ', false],
    ];
    for (const [password, right] of cases) {
      assert.deepEqual(await passwords.verify(password, stored), { right, outdated: false }, password);
      assert.equal((await passwords.verify(password, null)).right, false);
    }
    assert.deepEqual(await openPasswords(defaults, systemEnvironment).verify('Ünïcode №1', stored), {
      right: true,
      outdated: true,
    });
    await assert.rejects(passwords.verify('x', 'plain text'), refusal('internal'));
  });
});

test('few are hashed at once, and a bounded number waits', async () => {
  const narrow = openPasswords({ ...cheap, passwordsAtOnceMax: 2, passwordsQueuedMax: 3 }, systemEnvironment);
  const work = Array.from({ length: 8 }, () => narrow.hash('a password'));
  const ends = await Promise.allSettled(work);
  assert.deepEqual(
    ends.map(({ status }) => status),
    [...Array.from({ length: 5 }, () => 'fulfilled'), ...Array.from({ length: 3 }, () => 'rejected')],
  );
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  for (const error of refused) assert.ok(refusal('busy')(error) && /passwordsQueuedMax/.test(error.message));
  await narrow.hash('and there is room again');
});

test('a new password must be long enough, not too long, and not easily guessed', () => {
  const check = (password: string) => checkedPassword('password', password, defaults, ['ann.smith.of.acme', null]);
  for (const password of ['x7k29fbd01mq', '十二文字の長さのパスワード', 'four words will do', 'ab cd'.repeat(40)]) {
    assert.equal(check(password), password);
  }
  assert.throws(() => check(''), refusal('missing'));
  const bad = [
    'x7k29fbd01m',
    'x'.repeat(201),
    'ab12'.repeat(51),
    'abababababababab',
    'Ann.Smith.of.ACME',
    'a\0bcdefghijklm',
  ];
  for (const password of [...bad, 'abcdefghijklm\ud800']) {
    assert.throws(
      () => check(password),
      (error: Error) => refusal('malformed')(error) && !error.message.includes(password),
    );
  }
  assert.equal(mayBePassword('x'.repeat(10_000), defaults), false);
  assert.equal(mayBePassword('a\0b', defaults), false);
  assert.equal(mayBePassword('', defaults), true);
});
