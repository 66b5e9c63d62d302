/** Rate limits: attempts per address, waits after failures at an account, and counting across instances. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import { type Attempts, openAttempts } from '../../src/auth/attempts.ts';
import { networkOf } from '../../src/auth/limits/keys.ts';
import { forgetOld } from '../../src/auth/limits/store.ts';
import { defaults, type Settings } from '../../src/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { loadSettings } from '../../src/load-settings.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import { makeScratch, type Scratch } from '../engines/scratch.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;

let scratch: Scratch;
let storage: Storage;
const clock = { ms: 0 };
const environment = { now: () => clock.ms, random: (bytes: number) => randomBytes(bytes) };
const log = pino({ level: 'silent' });
const opened: Attempts[] = [];

before(async () => {
  scratch = await makeScratch();
  storage = await openStorage({ ...defaults, ...scratch.settings }, environment, log);
});
after(async () => {
  await storage.close();
  await scratch.remove();
});
// Counts that an instance has not stored yet would be stored during a later test.
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
beforeEach(() => {
  // Starts a new minute, without earlier counts.
  clock.ms = Math.ceil((Math.max(clock.ms, Date.now()) + 100 * dayMs) / minuteMs) * minuteMs;
});

/** One process's limits, and its database. */
function instance(changes: Partial<Settings> = {}) {
  const asked = { times: 0 };
  const { directory } = storage;
  const db: typeof directory = {
    build: directory.build,
    read: (query) => {
      asked.times++;
      return directory.read(query);
    },
    write: (queries) => {
      asked.times++;
      return directory.write(queries);
    },
  };
  const attempts = openAttempts({ db, environment, log, settings: { ...defaults, ...changes } });
  opened.push(attempts);
  return { ...attempts, asked };
}

let lastAccount = 0;
const someone = () => ({ companyId: 1, name: `person-${++lastAccount}` });
let lastAddress = 0;
const somewhere = () => `192.0.2.${++lastAddress}`;

/** Seconds to wait, or 0 when the attempt is accepted. */
async function waits(attempt: Promise<void>): Promise<number> {
  try {
    await attempt;
    return 0;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.reason, 'tooMany');
    assert.match(error.message, /^Too many attempts\. Try again in \d+ seconds?\.$/);
    return error.details.retryAfterSeconds ?? Number.NaN;
  }
}

/** How many of this many sequential attempts are accepted. */
async function taken(times: number, one: () => Promise<void>): Promise<number> {
  let count = 0;
  for (let at = 0; at < times; at++) if ((await waits(one())) === 0) count++;
  return count;
}

describe('of one address', () => {
  const settings = { addressAttemptsMax: 60 };

  test('a limited number of attempts of each kind is accepted per minute; refusals say how long to wait', async () => {
    const { guard, asked } = instance(settings);
    const address = somewhere();
    clock.ms += 20 * secondMs;
    assert.equal(await taken(70, () => guard('login', { address })), 60);
    assert.equal(await waits(guard('login', { address })), 40);
    asked.times = 0;
    assert.equal(await taken(20, () => guard('login', { address })), 0);
    assert.equal(asked.times, 0, 'A blocked address is refused from memory, without the database.');
    assert.equal(await waits(guard('refresh', { address })), 0, 'another kind');
    assert.equal(await waits(guard('login', { address: somewhere() })), 0, 'another address');
    clock.ms += 40 * secondMs;
    assert.equal(await taken(70, () => guard('login', { address })), 60, 'the next minute');
  });

  test('as many simultaneous attempts are accepted as sequential ones', async () => {
    const { guard } = instance(settings);
    const address = somewhere();
    const all = await Promise.all(Array.from({ length: 200 }, () => waits(guard('anonymousToken', { address }))));
    assert.equal(all.filter((wait) => wait === 0).length, 60);
  });

  test('all instances count together, and counts survive a restart', async () => {
    const [one, other] = [instance(settings), instance(settings)];
    const address = somewhere();
    assert.equal(await taken(40, () => one.guard('login', { address })), 40);
    assert.equal(await taken(10, () => other.guard('login', { address })), 10);
    await one.close();
    await other.close();
    const restarted = instance(settings);
    assert.equal(await taken(70, () => restarted.guard('login', { address })), 10);
    await restarted.close();
    const last = instance(settings);
    assert.equal(await waits(last.guard('login', { address })), 60);
  });

  test('the refusal of an instance reaches another one that was already counting', async () => {
    const [one, other] = [instance(settings), instance(settings)];
    const address = somewhere();
    assert.equal(await waits(other.guard('login', { address })), 0);
    assert.equal(await taken(59, () => one.guard('login', { address })), 59);
    await one.close();
    assert.equal(await waits(other.guard('login', { address })), 0, 'not heard of yet');
    await other.close();
    assert.notEqual(await waits(other.guard('login', { address })), 0);
  });

  test('an IPv6 address counts by its network, an IPv4 address is the same in both forms', async () => {
    const { guard } = instance(settings);
    assert.equal(await taken(61, () => guard('login', { address: '2001:db8:1:2:3:4:5:6' })), 60);
    assert.notEqual(await waits(guard('login', { address: '2001:db8:1:2::ffff' })), 0);
    assert.equal(await waits(guard('login', { address: '2001:db8:1:3::ffff' })), 0);
    for (const [address, network] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['::FFFF:c000:0207', '192.0.2.7'],
      ['2001:DB8::1', '2001:db8:0:0::/64'],
      ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
      ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
      ['192.0.2.7:51234', '192.0.2.7'],
      ['[2001:db8::1]:51234', '2001:db8:0:0::/64'],
      ['[::ffff:192.0.2.7]', '192.0.2.7'],
      ['[nonsense]:1', 'nonsense'],
      ['unknown', 'unknown'],
    ] as const) {
      assert.equal(networkOf(address), network, address);
    }
  });

  test('memory is bounded: an evicted address is read again', async () => {
    const { guard, close } = instance({ ...settings, attemptKeysMax: 10 });
    const address = somewhere();
    assert.equal(await taken(60, () => guard('login', { address })), 60);
    for (let other = 0; other < 20; other++) await guard('login', { address: somewhere() });
    await close();
    assert.notEqual(await waits(guard('login', { address })), 0);
  });

  test('a limit below 60 a minute is refused', () => {
    const load = (value: string) => loadSettings({ flags: { 'address-attempts-max': value } });
    assert.equal(load('60').addressAttemptsMax, 60);
    assert.throws(() => load('59'), /expected a whole number from 60 to .*got .*59/);
  });
});

describe('at one account', () => {
  test('after some failures the address must wait, twice as long each time, up to a limit', async () => {
    const { guard } = instance();
    const [account, address] = [someone(), somewhere()];
    const attempt = () => guard('password', { address, account });
    assert.equal(await taken(5, attempt), 5);
    const waited: number[] = [];
    for (let failures = 5; failures < 18; failures++) {
      const wait = await waits(attempt());
      waited.push(wait);
      clock.ms += wait * secondMs - 1;
      assert.equal(await waits(attempt()), 1, 'not a millisecond earlier');
      clock.ms += 1;
      assert.equal(await waits(attempt()), 0);
    }
    assert.deepEqual(waited, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  test('the same for every spelling of the account and every kind, not for another account or company', async () => {
    const { guard } = instance();
    const address = somewhere();
    const account = someone();
    await taken(5, () => guard('password', { address, account }));
    const spelled = { companyId: 1, name: ` ${account.name.toUpperCase()}` };
    assert.equal(await waits(guard('administration', { address, account: spelled })), 1);
    assert.equal(await waits(guard('password', { address, account: { ...account, companyId: 2 } })), 0);
    assert.equal(await waits(guard('password', { address, account: someone() })), 0);
  });

  test('of a thousand simultaneous guesses no more are accepted than of sequential ones', async () => {
    const { guard } = instance({ addressAttemptsMax: 2_000 });
    const attempt = { address: somewhere(), account: someone() };
    const all = await Promise.all(Array.from({ length: 1_000 }, () => waits(guard('password', attempt))));
    assert.equal(all.filter((wait) => wait === 0).length, 5);
  });

  test('two instances together accept no more than one', async () => {
    const instances = [instance(), instance()];
    const attempt = { address: somewhere(), account: someone() };
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => waits((instances[index % 2] as Attempts).guard('password', attempt))),
    );
    assert.equal(all.filter((wait) => wait === 0).length, 5);
  });

  test('a right secret does not count as a failure, and clears earlier ones', async () => {
    const { guard, succeeded } = instance();
    const attempt = { address: somewhere(), account: someone() };
    for (let round = 0; round < 30; round++) {
      assert.equal(await taken(4, () => guard('password', attempt)), 4, `round ${round}`);
      assert.equal(await waits(guard('password', attempt)), 0);
      await succeeded('password', attempt);
    }
  });

  test('a restart keeps the wait, and other instances apply it', async () => {
    const attempt = { address: somewhere(), account: someone() };
    const one = instance();
    await taken(5, () => one.guard('password', attempt));
    clock.ms += secondMs;
    assert.equal(await waits(one.guard('password', attempt)), 0);
    await one.close();
    const other = instance();
    assert.equal(await waits(other.guard('password', attempt)), 2);
    other.asked.times = 0;
    assert.equal(await waits(other.guard('password', attempt)), 2);
    assert.equal(other.asked.times, 0);
  });

  test('failures are forgotten after four times the longest wait without an attempt', async () => {
    const { guard } = instance();
    const attempt = { address: somewhere(), account: someone() };
    await taken(5, () => guard('password', attempt));
    clock.ms += 4 * defaults.attemptDelayMaxMs;
    assert.equal(await taken(6, () => guard('password', attempt)), 5);
  });

  test('a stranger with many addresses slows others a little, except at addresses of earlier sign-ins', async () => {
    const { guard, succeeded } = instance();
    const account = someone();
    const home = { address: '198.51.100.1', account };
    await guard('password', home);
    await succeeded('password', home);
    let attacks = 0;
    for (let address = 1; address <= 40; address++) {
      attacks += await taken(4, () => guard('password', { address: `203.0.113.${address}`, account }));
    }
    assert.equal(attacks, 50, 'ten times as many as from one address');
    for (let longer = 0; longer < 10; longer++) {
      const attempt = { address: `203.0.113.${100 + longer}`, account };
      const wait = await waits(guard('password', attempt));
      assert.ok(wait >= 1 && wait <= 30, `${wait} seconds`);
      clock.ms += wait * secondMs;
      assert.equal(await waits(guard('password', attempt)), 0);
    }
    assert.equal(await waits(guard('password', { address: '198.51.100.2', account })), 30, 'a new address waits');
    assert.equal(await waits(guard('password', home)), 0, 'a known one does not');
    assert.equal(await waits(guard('password', { address: home.address, account: someone() })), 0);
  });
});

test('stored rows contain no account or address, and are deleted in time', async () => {
  const { guard, succeeded, close } = instance();
  const attempt = { address: '198.51.100.77', account: { companyId: 1, name: 'Telltale' } };
  await guard('password', attempt);
  await succeeded('password', attempt);
  await guard('password', attempt);
  await close();
  const keys = async () => {
    const rows = await storage.directory.read(storage.directory.build.selectFrom('attempt').select('key'));
    return rows.map(({ key }) => key);
  };
  const kinds = async () => [...new Set((await keys()).map((key) => key.split(':')[0]))].sort();
  for (const key of await keys()) assert.match(key, /^(address|pair|account|known):[0-9a-f]{64}$/);
  const sweep = async () => {
    while ((await forgetOld(storage.directory, defaults, clock.ms)) > 0);
  };
  await sweep();
  assert.deepEqual(await kinds(), ['account', 'address', 'known', 'pair']);
  clock.ms += 2 * 3_600_000;
  await sweep();
  assert.deepEqual(await kinds(), ['known']);
  clock.ms += 31 * dayMs;
  await sweep();
  assert.deepEqual(await keys(), []);
});
