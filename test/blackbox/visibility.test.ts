/**
 * Who sees which record: single GET, both query forms, every kind of join, counts (docs/reference/queries.md#visibility).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, assertNothingForeign } from '../harness/cases.ts';
import { isRecord, valueAt } from '../harness/match.ts';
import {
  addRecords,
  countOf,
  defineTables,
  idsOf,
  type QueryBody,
  type Row,
  select,
  send,
} from '../harness/requests.ts';
import { startWorld, type Who, type World } from '../harness/world.ts';

const company1: readonly Who[] = ['alice', 'bob', 'carol'];

const tables = ['Paper', 'Stamp'].map((name) => ({
  name,
  primary_key: 'objectId',
  columns: [
    { colName: 'secret', type: 'varchar', fieldLength: 100 },
    { colName: 'paperId', type: 'varchar', fieldLength: 100 },
    { colName: 'tie', type: 'integer' },
  ],
}));

interface Paper {
  readonly objectId: string;
  readonly creator: Who;
  readonly scope: '1' | '2' | '3';
  readonly groups: readonly ('g1' | 'g2')[];
}

const papers: readonly Paper[] = [
  { objectId: 'a1', creator: 'alice', scope: '1', groups: ['g1', 'g2'] },
  { objectId: 'a2', creator: 'alice', scope: '2', groups: ['g1', 'g2'] },
  { objectId: 'a2x', creator: 'alice', scope: '2', groups: ['g1'] },
  { objectId: 'a2y', creator: 'alice', scope: '2', groups: ['g2'] },
  { objectId: 'a3', creator: 'alice', scope: '3', groups: ['g1', 'g2'] },
  { objectId: 'b1', creator: 'bob', scope: '1', groups: ['g1'] },
  { objectId: 'b2', creator: 'bob', scope: '2', groups: ['g1'] },
  { objectId: 'b3', creator: 'bob', scope: '3', groups: ['g1'] },
  { objectId: 'c1', creator: 'carol', scope: '1', groups: ['g2'] },
  { objectId: 'c2', creator: 'carol', scope: '2', groups: ['g2'] },
  { objectId: 'c3', creator: 'carol', scope: '3', groups: ['g2'] },
];

const groupsOf: Readonly<Record<string, readonly string[]>> = { alice: ['g1', 'g2'], bob: ['g1'], carol: ['g2'] };

function sees(who: Who, paper: Paper, reach = 3): boolean {
  if (paper.scope === '1') return paper.creator === who;
  if (paper.scope === '2') return reach >= 2 && paper.groups.some((group) => groupsOf[who]?.includes(group));
  return reach >= 3;
}

const visibleTo = (who: Who, reach = 3) =>
  papers.filter((paper) => sees(who, paper, reach)).map((paper) => paper.objectId);

let world: World;
before(async () => {
  world = await startWorld();
  await defineTables(world, 'alice', tables);
  await defineTables(world, 'dave', tables);
  for (const who of company1) {
    for (const paper of papers.filter((each) => each.creator === who)) {
      const groupIds = `{${paper.groups.map((group) => world.names.get(group)).join(',')}}`;
      const record = { scopeType: paper.scope, groupIds, tie: '1' };
      const text = `canary-${paper.objectId}-${crypto.randomUUID()}`;
      await addRecords(world, who, 'Paper', [{ ...record, objectId: paper.objectId, secret: text }]);
      await addRecords(world, who, 'Stamp', [
        { ...record, objectId: `s-${paper.objectId}`, paperId: paper.objectId, secret: text },
      ]);
      world.secrets.push({
        text,
        what: `paper ${paper.objectId}`,
        known: company1.filter((each) => sees(each, paper)),
      });
    }
  }
  // A stamp on each paper that everybody sees, so that only the paper's own visibility counts.
  await addRecords(
    world,
    'alice',
    'Stamp',
    papers.map(({ objectId }) => ({ objectId: `all-${objectId}`, paperId: objectId, scopeType: '3', secret: 'open' })),
  );
  const foreign = `canary-of-dave-${crypto.randomUUID()}`;
  await addRecords(
    world,
    'dave',
    'Paper',
    papers.map(({ objectId }) => ({ objectId, scopeType: '3', secret: foreign })),
  );
  world.secrets.push({ text: foreign, what: 'a paper of company 2', known: ['dave'] });
});
after(() => world.close());

/** Sends a request as a user, and checks that the answer reveals nothing hidden from that user. */
async function asked(who: Who, method: string, path: string, body?: object) {
  const answer = await send(world, who, method, path, body);
  assertNothingForeign(world, who, answer);
  return answer;
}

async function selected(who: Who, body: QueryBody): Promise<Record<string, Row[]>> {
  const arrays = await select(world, who, body);
  const text = JSON.stringify(arrays);
  assertNothingForeign(world, who, { status: 200, headers: {}, text, json: arrays });
  return arrays;
}

const paperQuery = (extra: object = {}) => ({ from: { phyName: 'Paper', alias: 'p' }, ...extra });
const stampQuery = (extra: object = {}) => ({ from: { phyName: 'Stamp', alias: 's' }, ...extra });
const where = (source: string, ...params: string[]) => ({ where: { expression: { source, params } } });
const joinOn = (type: string, entity: string, entityAlias: string, source: string) => ({
  join: [{ type, entity, entityAlias, expression: { source, params: [] } }],
});

test('the fixture is meaningful: every user sees some records and not others', () => {
  for (const who of company1) {
    assert.ok(visibleTo(who).length > 3 && visibleTo(who).length < papers.length, who);
  }
});

for (const who of company1) {
  describe(who, () => {
    for (const paper of papers) {
      test(`single GET: ${paper.objectId} is ${sees(who, paper) ? 'found' : 'not found'}`, async () => {
        const answer = await asked(who, 'GET', `data/Paper/${paper.objectId}`);
        if (sees(who, paper)) {
          assert.equal(valueAt(answer.json, 'Paper.0.objectId'), paper.objectId);
          return;
        }
        assertEnvelope(answer, 130);
        assert.equal(answer.status, 404);
        const other = await asked(who, 'GET', 'data/Paper/zz');
        const same = (text: string) => text.replaceAll(paper.objectId, '…').replaceAll('zz', '…');
        assert.equal(same(answer.text), same(other.text), 'An invisible record answers like one that was never there.');
      });
    }

    test('expression query and count', async () => {
      assert.deepEqual(idsOf(await selected(who, paperQuery()), 'p'), visibleTo(who));
      assert.equal(await countOf(world, who, paperQuery()), visibleTo(who).length);
    });

    test('conditions cannot refer to what is not visible', async () => {
      for (const paper of papers) {
        const expected = sees(who, paper) ? 1 : 0;
        assert.equal(
          await countOf(world, who, paperQuery(where('#p.objectId = ?', paper.objectId))),
          expected,
          paper.objectId,
        );
        assert.equal(
          await countOf(world, who, paperQuery(where('#p.secret LIKE ?', `canary-${paper.objectId}-%`))),
          expected,
        );
        assert.equal(await countOf(world, who, paperQuery(where('NOT (#p.objectId <> ?)', paper.objectId))), expected);
        assert.equal(
          await countOf(world, who, paperQuery(where(`1 = 1 OR #p.objectId = ?`, paper.objectId))),
          visibleTo(who).length,
        );
      }
    });

    for (const reach of [1, 2, 3]) {
      test(`older query, scope ${reach}`, async () => {
        const answer = await asked(who, 'POST', 'data/query', {
          objectNames: ['Paper'],
          returnedObjectNames: ['Paper'],
          condition: { scope: reach },
        });
        assertEnvelope(answer, 0);
        const ids = (valueAt(answer.json, 'results.0.Paper') as Row[]).map((row) => row.objectId);
        assert.deepEqual(ids, visibleTo(who, reach));
        assert.equal(valueAt(answer.json, 'counter'), ids.length);
      });
    }

    test('older query without a scope reads everything visible', async () => {
      const answer = await asked(who, 'POST', 'data/query', { objectNames: ['Paper'], returnedObjectNames: ['Paper'] });
      assert.deepEqual(
        (valueAt(answer.json, 'results.0.Paper') as Row[]).map((row) => row.objectId),
        visibleTo(who),
      );
    });

    test('older query: recordId of an invisible record', async () => {
      for (const paper of papers) {
        const answer = await asked(who, 'POST', 'data/query', {
          objectNames: ['Paper'],
          returnedObjectNames: ['Paper'],
          recordId: paper.objectId,
        });
        assert.equal(valueAt(answer.json, 'counter'), sees(who, paper) ? 1 : 0);
      }
    });

    test('older query: a join filters both tables, also under scope 1', async () => {
      for (const [joinType, reach] of [
        [1, 3],
        [2, 3],
        [1, 1],
        [2, 1],
        [2, 2],
      ] as const) {
        const answer = await asked(who, 'POST', 'data/query', {
          objectNames: ['Stamp', 'Paper'],
          returnedObjectNames: ['Stamp', 'Paper'],
          condition: {
            scope: reach,
            joinConditions: [
              {
                joinType,
                joinObjectName: 'Paper',
                joinColumn: 'objectId',
                baseObjectName: 'Stamp',
                baseColumn: 'paperId',
              },
            ],
          },
        });
        assertEnvelope(answer, 0);
        const papersFound = (valueAt(answer.json, 'results.1.Paper') as Row[]).map((row) => row.objectId);
        const seen = visibleTo(who, reach);
        for (const id of papersFound) assert.ok(id === null || seen.includes(String(id)), `${id} under scope ${reach}`);
        if (joinType === 1) assert.ok(!papersFound.includes(null));
        else if (reach === 3) assert.ok(papersFound.includes(null));
      }
    });

    test('inner join: a pair is returned if both are visible', async () => {
      const arrays = await selected(who, stampQuery(joinOn('INNER JOIN', 'Paper', 'p', '#s.paperId = #p.objectId')));
      const pairs = [...visibleTo(who).map((id) => `all-${id}`), ...visibleTo(who).map((id) => `s-${id}`)].sort();
      assert.deepEqual(idsOf(arrays, 's'), pairs);
      assert.deepEqual(
        idsOf(arrays, 'p'),
        pairs.map((id) => id.replace(/^(all|s)-/, '')),
      );
    });

    test('left join: an invisible match counts as missing, every column null', async () => {
      const body = stampQuery({
        ...joinOn('LEFT OUTER JOIN', 'Paper', 'p', '#s.paperId = #p.objectId'),
        ...where("#s.objectId LIKE 'all-%'"),
      });
      const arrays = await selected(who, body);
      assert.deepEqual(
        idsOf(arrays, 's'),
        papers.map((paper) => `all-${paper.objectId}`),
      );
      assert.deepEqual(
        idsOf(arrays, 'p'),
        papers.map((paper) => (sees(who, paper) ? paper.objectId : null)),
      );
      for (const row of arrays.p ?? []) {
        if (row.objectId === null) assert.ok(Object.values(row).every((value) => value === null));
      }
      assert.equal(await countOf(world, who, body), papers.length);
    });

    test('right join: an invisible row counts as missing', async () => {
      const body = paperQuery({
        ...joinOn('RIGHT OUTER JOIN', 'Stamp', 's', '#s.paperId = #p.objectId'),
        ...where("#s.objectId LIKE 'all-%'"),
      });
      const arrays = await selected(who, body);
      const expected = papers.map((paper) => [sees(who, paper) ? paper.objectId : null, `all-${paper.objectId}`]);
      const byPaper = (a: (string | null)[], b: (string | null)[]) =>
        `${a[0] ?? ''}/${a[1]}` < `${b[0] ?? ''}/${b[1]}` ? -1 : 1;
      assert.deepEqual(
        idsOf(arrays, 'p').map((id, index) => [id, idsOf(arrays, 's')[index]]),
        expected.sort(byPaper),
      );
      assert.equal(await countOf(world, who, body), papers.length);
    });

    test('left join the other way: no row comes from an invisible paper', async () => {
      const arrays = await selected(
        who,
        paperQuery({ ...joinOn('LEFT JOIN', 'Stamp', 's', "#s.paperId = #p.objectId AND #s.objectId LIKE 'all-%'") }),
      );
      assert.deepEqual(idsOf(arrays, 'p'), visibleTo(who));
    });

    test('self-join: both sides are filtered', async () => {
      const arrays = await selected(who, paperQuery(joinOn('JOIN', 'Paper', 'q', '#p.tie = #q.tie')));
      const seen = visibleTo(who);
      assert.deepEqual(
        idsOf(arrays, 'p'),
        seen.flatMap((id) => seen.map(() => id)),
      );
      assert.deepEqual(
        idsOf(arrays, 'q'),
        seen.flatMap(() => seen),
      );
    });

    test('a sub-query finds only what is visible, in both queries, counts and groups', async () => {
      const seen = visibleTo(who);
      const stamps = (ids: readonly string[]) => ids.map((id) => `all-${id}`);
      const exists = 'EXISTS (SELECT 1 FROM Paper p WHERE #p.objectId = #s.paperId)';
      const among = '#s.paperId IN (SELECT #p.objectId FROM Paper p)';
      const hidden = papers.map(({ objectId }) => objectId).filter((id) => !seen.includes(id));
      for (const condition of [exists, among]) {
        for (const [source, ids] of [
          [condition, seen],
          [`NOT (${condition})`, hidden],
          [`EXISTS (SELECT 1 FROM Stamp t WHERE #t.objectId = #s.objectId AND ${condition})`, seen],
        ] as const) {
          const body = stampQuery(where(`#s.objectId LIKE 'all-%' AND ${source}`));
          assert.deepEqual(idsOf(await selected(who, body), 's'), stamps(ids), source);
          assert.equal(await countOf(world, who, body), ids.length, source);
        }
        const select = [
          { name: 'seen', expression: { source: `CASE WHEN ${condition} THEN 1 ELSE 0 END` } },
          { name: 'stamps', expression: { source: 'COUNT(*)' } },
        ];
        const body = stampQuery({ ...where("#s.objectId LIKE 'all-%'"), select, groupBy: ['seen'] });
        const { json } = await asked(who, 'POST', 'data/select/Stamp', body);
        assert.deepEqual(valueAt(json, 'rows'), [
          { seen: '0', stamps: hidden.length },
          { seen: '1', stamps: seen.length },
        ]);
      }
      for (const paper of papers) {
        const guess = `EXISTS (SELECT 1 FROM Paper p WHERE #p.secret LIKE 'canary-${paper.objectId}-%')`;
        const found = await countOf(world, who, stampQuery(where(`#s.objectId = 'all-a1' AND ${guess}`)));
        assert.equal(found, sees(who, paper) ? 1 : 0, paper.objectId);
      }
      assert.equal(await countOf(world, who, stampQuery(where("'open' IN (SELECT #p.secret FROM Paper p)"))), 0);
    });

    test('three joins of every kind show nothing that is not visible', async () => {
      for (const kinds of [
        ['LEFT JOIN', 'RIGHT JOIN'],
        ['RIGHT JOIN', 'LEFT JOIN'],
        ['RIGHT JOIN', 'RIGHT JOIN'],
        ['INNER JOIN', 'RIGHT JOIN'],
      ] as const) {
        const body = paperQuery({
          join: [
            {
              type: kinds[0],
              entity: 'Stamp',
              entityAlias: 's',
              expression: { source: '#s.paperId = #p.objectId', params: [] },
            },
            {
              type: kinds[1],
              entity: 'Paper',
              entityAlias: 'q',
              expression: { source: '#q.objectId = #s.paperId', params: [] },
            },
          ],
        });
        const arrays = await selected(who, body);
        const seen = new Set<string | null>([null, ...visibleTo(who)]);
        for (const id of [...idsOf(arrays, 'p'), ...idsOf(arrays, 'q')]) assert.ok(seen.has(id), String(id));
        assert.equal(await countOf(world, who, body), arrays.p?.length);
      }
    });

    test('an update or delete of an invisible record answers like one of an unknown record', async () => {
      for (const paper of papers.filter((each) => !sees(who, each))) {
        const serverUpdateTime = '2020-01-01T00:00:00.000Z';
        for (const [path, items] of [
          [
            'updateData',
            (objectId: string) => ({ objectName: 'Paper', data: [{ objectId, secret: 'x', serverUpdateTime }] }),
          ],
          ['deleteData', (objectId: string) => ({ objectName: 'Paper', objectIds: [{ objectId, serverUpdateTime }] })],
        ] as const) {
          const answer = await asked(who, 'POST', `data/batch/${path}`, items(paper.objectId));
          const other = await asked(who, 'POST', `data/batch/${path}`, items('zz'));
          assertEnvelope(answer, 130);
          const same = (text: string) => text.replaceAll(paper.objectId, '…').replaceAll('zz', '…');
          assert.equal(same(answer.text), same(other.text));
        }
      }
    });
  });
}

describe('company 2', () => {
  test('has its own records under the same ids', async () => {
    const arrays = await selected('dave', paperQuery());
    assert.deepEqual(
      idsOf(arrays, 'p'),
      papers.map((paper) => paper.objectId),
    );
    assert.ok((arrays.p ?? []).every((row) => row.secret?.startsWith('canary-of-dave-')));
    assert.equal(await countOf(world, 'dave', stampQuery()), 0);
  });

  test('a change there changes nothing here', async () => {
    const [row] = (await select(world, 'dave', paperQuery(where('#p.objectId = ?', 'a3')))).p ?? [];
    const deleted = await asked('dave', 'POST', 'data/batch/deleteData', {
      objectName: 'Paper',
      objectIds: [{ objectId: 'a3', serverUpdateTime: row?.serverUpdateTime }],
    });
    assertEnvelope(deleted, 0);
    assert.equal(await countOf(world, 'bob', paperQuery(where('#p.objectId = ?', 'a3'))), 1);
  });
});

test('a role makes nothing more visible: alice, who defines tables and administers, sees no private record of others', async () => {
  const ids = idsOf(await selected('alice', paperQuery()), 'p');
  assert.ok(!ids.includes('b1') && !ids.includes('c1'));
});

test('a record that moves between groups is visible to the members of its present group', async () => {
  const [made] = await addRecords(world, 'alice', 'Paper', [
    { objectId: 'moving', scopeType: '2', groupIds: '{{g1}}'.replace('{{g1}}', String(world.names.get('g1'))) },
  ]);
  const seenBy = async () => {
    const found: string[] = [];
    for (const who of company1)
      if ((await countOf(world, who, paperQuery(where('#p.objectId = ?', 'moving')))) === 1) found.push(who);
    return found.join(' ');
  };
  let base = made?.serverUpdateTime;
  const move = async (change: object) => {
    const answer = await asked('alice', 'POST', 'data/batch/updateData', {
      objectName: 'Paper',
      data: [{ objectId: 'moving', serverUpdateTime: base, ...change }],
    });
    assertEnvelope(answer, 0);
    assert.ok(isRecord(answer.json));
    base = String(valueAt(answer.json, 'results.0.serverUpdateTime'));
  };
  assert.equal(await seenBy(), 'alice bob');
  await move({ groupIds: world.names.get('g2') });
  assert.equal(await seenBy(), 'alice carol');
  await move({ groupIds: `${world.names.get('g1')},${world.names.get('g2')}` });
  assert.equal(await seenBy(), 'alice bob carol');
  await move({ scopeType: '1' });
  assert.equal(await seenBy(), 'alice');
  await move({ scopeType: '3' });
  assert.equal(await seenBy(), 'alice bob carol');
  await move({ scopeType: '2', groupIds: world.names.get('g2') });
  assert.equal(await seenBy(), 'alice carol');
});
