/**
 * Every administrative act on every surface that offers it: the same act has the same entry in the audit trail, with
 * the same detail, regardless of actor and surface.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import type { Act } from './act.ts';
import { peopleActs } from './acts-on-people.ts';
import { providerActs } from './acts-on-providers.ts';
import { tenantActs } from './acts-on-tenants.ts';
import { openSurfaces, type Subject, type Surface, type Surfaces } from './surfaces.ts';

const acts: readonly Act[] = [...tenantActs, ...providerActs, ...peopleActs];
const sample: Subject = { name: 'x', id: 1, revision: 1, more: {} };
let surfaces: Surfaces;
before(async () => {
  surfaces = await openSurfaces();
});
after(() => surfaces.close());

const order: readonly Surface[] = ['client', 'admin', 'cli'];
const address = '127.0.0.1';
const actorOf = {
  client: () => ['user', surfaces.client.id, surfaces.client.account, address],
  admin: () => ['administrator', 1, 'root', address],
  cli: () => ['operator', null, 'command line', null],
} as const;

async function perform(act: Act, surface: Surface, subject: Subject): Promise<void> {
  if (surface === 'client') await surfaces.byClient(act.client!(subject), subject.more.token as string | undefined);
  else if (surface === 'admin') await surfaces.byAdmin(act.admin!(subject));
  else await surfaces.byCommand(act.cli!(subject));
}

describe('the entry of', { concurrency: false }, () => {
  for (const [index, act] of acts.entries()) {
    for (const surface of order.filter((one) => act[one] !== undefined)) {
      test(`${act.name} by ${surface}`, async () => {
        const name = `${surface}-${index}`;
        const made = await act.make?.(surfaces, name);
        const subject = { name, id: 0, revision: 1, more: {}, ...made };
        await surfaces.fresh();
        await perform(act, surface, subject);
        const common = { outcome: 'done', actor: actorOf[surface]() };
        const entry = act.entry(subject, surfaces);
        const expected = (Array.isArray(entry) ? entry : [entry]).map((one) => ({ ...one, ...common }));
        assert.deepEqual(await surfaces.fresh(), expected);
      });
    }
  }
});

/** Sign-ins and sign-outs of the administration, and its set-up: `test/administration/sign-in.test.ts`. */
const signIns = ['setUp', 'signIn', 'beginProviderSignIn', 'signOut'];
/**
 * A cancelled change of tables has changed nothing; acts on records: `test/admin/records.test.ts`; trials of providers:
 * `test/administration/provider-trial.test.ts`; moves of data spaces: `test/storage/citus/nodes.test.ts`.
 */
const noActs = [
  ...signIns,
  'cancelVersionTableJob',
  'selectRecords',
  'queryRecords',
  'explainRecords',
  'selectAsUser',
  'writeRecords',
  'tryClient',
  'finishClientTrial',
  'moveDataSpace',
  'rebalanceNodes',
];

test('every operation of the administration that changes anything is covered', () => {
  const tried = new Set(acts.map((act) => act.admin?.(sample)[0]));
  const missing = operationsOf('administration').filter(({ method, name }) => method !== 'GET' && !tried.has(name));
  assert.deepEqual(missing.map(({ name }) => name).sort(), noActs.sort());
});

/** Sign-ins, and operations of clients on records and their own tokens, are not administrative acts. */
const ofClients = [
  '/schemas/jobs/',
  '/data/',
  '/logs',
  '/anonymousTokens',
  '/devices',
  '/auth/oidc/',
  '/auth/login',
  '/auth/refresh',
];

test('every operation of clients that is an administrative act is covered', () => {
  const requests = acts.flatMap((act) => act.client?.(sample).slice(0, 2).join(' ').split('?')[0] ?? []);
  const missing = operationsOf('client').filter(({ method, path }) => {
    const pattern = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`);
    return (
      method !== 'GET' && !ofClients.some((one) => path.startsWith(one)) && !requests.some((one) => pattern.test(one))
    );
  });
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

/**
 * Commands that only read, and commands that are not acts in the directory; `tables` and `types` are clients of a
 * service.
 */
const looks = ['list', 'show', 'identities', 'export'];
const others = ['serve', 'check', 'move', 'nodes', 'demo', 'tables', 'types'];

test('every command that changes anything is covered', () => {
  const tried = new Set(acts.map((act) => act.cli?.(sample)[0].split(' ').slice(0, 2).join(' ')));
  const all = commands
    .filter(({ name }) => !others.includes(name))
    .flatMap(({ name, actions }) =>
      actions.filter((one) => !looks.includes(one.name)).map((one) => `${name} ${one.name}`),
    );
  assert.deepEqual(
    all.filter((command) => !tried.has(command)),
    [],
  );
});
