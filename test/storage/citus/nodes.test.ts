/** The nodes of a cluster: what is on each, moving data spaces between them, and the effects of an unreliable one. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';
import { clusterOf } from '../../../lab/machine/cluster.ts';
import { moveSpace } from '../../../src/administration/nodes.ts';
import { systemEnvironment as environment } from '../../../src/environment.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Cluster } from '../../../src/storage/cluster.ts';
import { requireSafeNodes } from '../../../src/storage/health.ts';
import { spaceSchema } from '../../../src/storage/postgres/schemas.ts';
import { openHouse } from '../../administration/house.ts';
import { makeCrm, posting } from '../../console/sample.ts';
import { defineTables, itemsOf, openScratch, taskScratch, tasksIn, taskTable } from '../scratch.ts';

/** Nodes are checked only when a test requests it. */
const settings = { nodesEveryMs: 3_600_000 };

/** Data space 1 with a table, and functions to tamper with its node. */
async function onNodes(t: TestContext) {
  const opened = await taskScratch(t, { settings });
  const { storage, scratch } = opened;
  const cluster = storage.cluster as Cluster;
  const nodes = await cluster.nodes();
  const workers = nodes.filter(({ takesSpaces }) => takesSpaces).map(({ host, port }) => `${host}:${port}`);
  const database = new URL(scratch.settings.storage).pathname.slice(1);
  const serverAt = (node: string) => {
    const servers = clusterOf(scratch.settings.storage)?.nodes ?? [];
    return servers.find((server) => new URL(server).host === node) as string;
  };
  /** Runs a statement on the node, in another database. */
  const alter = (node: string, change: string) =>
    withClient(serverAt(node), (client) => client.query(`ALTER DATABASE ${database} ${change}`));
  const nodeOf = async (spaceId: number) => (await cluster.spaces()).find((one) => one.spaceId === spaceId)?.node ?? '';
  const otherThan = (node: string) => workers.find((one) => one !== node) as string;
  return { ...opened, cluster, nodes, database, serverAt, alter, nodeOf, otherThan };
}

const isBusy = (error: unknown) => error instanceof ServiceError && error.details.status === 503;

test('each data space is on one worker, and the figures of the nodes add up', async (t) => {
  const { storage, cluster } = await onNodes(t);
  await storage.spaces.create(2);
  const spaces = await cluster.spaces();
  assert.deepEqual(
    spaces.map(({ spaceId }) => spaceId),
    [1, 2],
  );
  const nodes = await cluster.nodes();
  assert.equal(nodes[0]?.role, 'coordinator');
  for (const { host, port, reachable, problem, ...node } of nodes) {
    const own = spaces.filter((space) => space.node === `${host}:${port}`);
    const bytes = own.reduce((sum, space) => sum + (space.bytes ?? 0), 0);
    assert.deepEqual([reachable, problem, node.spaces, node.bytes], [true, null, own.length, bytes]);
    if (node.role === 'coordinator') assert.equal(node.spaces, 0);
  }
  assert.equal(spaces[0]?.bytes, await storage.spaces.size(1));
});

test('a data space is moved with its records, and has an audit entry', async (t) => {
  const { storage, tasks, nodeOf, otherThan } = await onNodes(t);
  await tasks.add([{ id: 'kept', title: 'before' }]);
  const from = await nodeOf(1);
  const to = otherThan(from);
  const moved = await moveSpace({ storage, environment }, { kind: 'operator' }, { spaceId: 1, to }, () => {});
  assert.deepEqual(moved, { spaceId: 1, from, to });
  assert.equal(await nodeOf(1), to);
  assert.equal((await tasks.get('kept'))?.title, 'before');
  assert.equal(itemsOf(await tasks.add([{ id: 'after' }])).length, 1);
  const { build } = storage.directory;
  const entries = await storage.directory.read(build.selectFrom('audit').select(['action', 'target', 'detail']));
  assert.deepEqual(entries, [
    { action: 'node.moveSpace', target: 'data space 1', detail: JSON.stringify({ from, to }) },
  ]);
});

test('an administrator moves a data space and follows the move, and the audit trail has an entry', async (t) => {
  const house = await openHouse();
  t.after(() => house.close());
  const root = await house.setUp('root');
  const post = posting(root);
  const results = async <R>(path: string) => ((await root.call('GET', path)).json as { results: R }).results;
  await makeCrm(post);
  const workers = (await results<{ node: string; takesSpaces: boolean }[]>('/nodes')).filter((one) => one.takesSpaces);
  const [space] = await results<{ spaceId: number; node: string; appId: string }[]>('/nodes/spaces?companyId=1');
  assert.equal(space?.appId, 'crm');
  const { spaceId, node: from } = space;
  const to = workers.find(({ node }) => node !== from)?.node as string;
  const refused = await root.call('POST', '/nodes/moves', { spaceId, to: from });
  assert.deepEqual([refused.status, /is already on/.test(refused.text)], [400, true], refused.text);
  assert.deepEqual(await results('/nodes/moves'), []);
  const both = await Promise.all([1, 2].map(() => root.call('POST', '/nodes/moves', { spaceId, to })));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 400], 'one at a time');
  const moves = () => results<{ state: string; error: string | null; of: number; done: number }[]>('/nodes/moves');
  while ((await moves())[0]?.state === 'running');
  const [move] = await moves();
  assert.deepEqual([move?.state, move?.error], ['done', null]);
  assert.equal((await results<{ node: string }[]>(`/nodes/spaces?node=${to}`)).length, 1);
  const [entry] = await results<object[]>('/audit?action=node.moveSpace');
  const { actorName, target, detail } = entry as Record<string, unknown>;
  assert.deepEqual([actorName, target, detail], ['root', `data space ${spaceId}`, { from, to }]);
});

test('closing the storage cancels a waiting move', async (t) => {
  const { storage, cluster, nodeOf, otherThan, scratch } = await onNodes(t);
  const to = otherThan(await nodeOf(1));
  const begun = Promise.withResolvers<void>();
  await withClient(scratch.settings.storage, async (client) => {
    await client.query('BEGIN');
    const { rows } = await client.query<{ name: string }>(
      'SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = $1 AND relnamespace = $2::regnamespace LIMIT 1',
      ['r', spaceSchema(1)],
    );
    await client.query(`LOCK TABLE ${rows[0]?.name} IN SHARE ROW EXCLUSIVE MODE`);
    const moving = cluster.moveSpace(1, to, () => begun.resolve());
    const given = assert.rejects(moving, /The cluster refused moving data space 1/);
    await begun.promise;
    await storage.close();
    await given;
  });
});

test('a rebalancing fills an empty worker, and shows its progress', async (t) => {
  const { storage, cluster, nodeOf, otherThan } = await onNodes(t);
  await storage.spaces.create(2);
  const empty = otherThan(await nodeOf(1));
  if ((await nodeOf(2)) === empty) await cluster.moveSpace(2, await nodeOf(1), () => {});
  const seen: number[] = [];
  const done = await cluster.rebalance(({ done }) => void seen.push(done));
  assert.deepEqual(done, { moved: 1, followed: false });
  assert.equal(seen.at(-1), 1);
  assert.equal((await cluster.spaces()).filter(({ node }) => node === empty).length, 1);
  assert.deepEqual(await cluster.rebalance(() => {}), { moved: 0, followed: false });
});

test('an invalid move is refused, naming valid ones', async (t) => {
  const { cluster, nodes, nodeOf } = await onNodes(t);
  const coordinator = `${nodes[0]?.host}:${nodes[0]?.port}`;
  const here = await nodeOf(1);
  const refused: readonly (readonly [number, string, RegExp])[] = [
    [99, here, /space: there is no data space 99\.$/],
    [1, 'db9.example.com:1', /to: expected one of .*, got "db9\.example\.com:1"\.$/],
    [1, here, /to: data space 1 is already on .*\.$/],
    [1, coordinator, /to: the node .* is set to take no data spaces; citus_set_node_property/],
  ];
  for (const [spaceId, to, told] of refused) {
    await assert.rejects(
      cluster.moveSpace(spaceId, to, () => {}),
      told,
    );
  }
});

test('nothing is written to a node that may lose a commit, until it is fixed', async (t) => {
  const { storage, tasks, cluster, alter, nodeOf, otherThan, scratch } = await onNodes(t);
  const node = await nodeOf(1);
  const other = otherThan(node);
  await storage.spaces.create(2);
  if ((await nodeOf(2)) === node) await cluster.moveSpace(2, other, () => {});
  await tasks.add([{ id: 'kept' }]);
  assert.deepEqual(await storage.check(), []);

  await alter(node, 'SET synchronous_commit = off');
  const [fault, ...more] = await storage.check();
  assert.deepEqual([fault?.node, fault?.kind, more], [node, 'unsafe', []]);
  assert.match(fault?.told ?? '', /synchronous_commit = off; on or remote_apply is required\. Run "ALTER SYSTEM/);
  assert.throws(() => requireSafeNodes(fault === undefined ? [] : [fault]), new RegExp(`node ${node}: `));
  await assert.rejects(tasks.add([{ id: 'lost' }]), isBusy);
  await assert.rejects(storage.spaces.create(3), isBusy);
  await assert.rejects(
    cluster.moveSpace(2, node, () => {}),
    /^ServiceError: Nothing was moved\. .*synchronous_commit/,
  );
  await assert.rejects(
    cluster.rebalance(() => {}),
    /Nothing was moved/,
  );
  assert.ok((await tasks.get('kept')) !== null);
  assert.equal(itemsOf(await (await tasksOn(storage, 2)).add([{ id: 'other' }])).length, 1);
  // A second instance knows before its first write.
  const { storage: second } = await openScratch(t, { place: scratch, settings });
  await assert.rejects(second.spaces.create(3), isBusy);

  await alter(node, 'RESET synchronous_commit');
  assert.deepEqual(await storage.check(), []);
  assert.equal(itemsOf(await tasks.add([{ id: 'lost' }])).length, 1);
});

test('a node that refuses connections is named, and the data spaces of the others are served', async (t) => {
  const { storage, tasks, cluster, alter, nodeOf, otherThan, database, serverAt } = await onNodes(t);
  const node = await nodeOf(1);
  await storage.spaces.create(2);
  if ((await nodeOf(2)) === node) await cluster.moveSpace(2, otherThan(node), () => {});
  const others = await tasksOn(storage, 2);
  await tasks.add([{ id: 'kept' }]);
  t.after(() => alter(node, 'ALLOW_CONNECTIONS true').catch(() => {}));

  await alter(node, 'ALLOW_CONNECTIONS false');
  await withClient(serverAt(node), (client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]),
  );
  const [fault, ...more] = await storage.check();
  assert.deepEqual([fault?.node, fault?.kind, more], [node, 'away', []]);
  const listed = (await cluster.nodes()).find(({ host, port }) => `${host}:${port}` === node);
  assert.deepEqual([listed?.reachable, listed?.spaces, listed?.bytes], [false, 1, null]);
  await assert.rejects(tasks.get('kept'), isBusy);
  await assert.rejects(tasks.add([{ id: 'none' }]), isBusy);
  assert.equal(itemsOf(await others.add([{ id: 'other' }])).length, 1);
  assert.ok((await others.get('other')) !== null);

  await alter(node, 'ALLOW_CONNECTIONS true');
  assert.deepEqual(await storage.check(), []);
  assert.ok((await tasks.get('kept')) !== null);
  assert.equal(itemsOf(await tasks.add([{ id: 'none' }])).length, 1);
});

async function tasksOn(storage: Parameters<typeof tasksIn>[0], spaceId: number) {
  await defineTables(storage, spaceId, [taskTable]);
  return tasksIn(storage, spaceId);
}
