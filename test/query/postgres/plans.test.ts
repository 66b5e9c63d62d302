/** How PostgreSQL runs queries on 100 000 records: through the declared indexes, without sorting, for callers of all kinds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRecord, type RowPlan } from '../../../src/query/compile.ts';
import type { ExpressionForm } from '../../../src/query/expression-form.ts';
import { postgresDialect } from '../../../src/storage/postgres/dialect.ts';
import { insider, openStore, stranger } from './store.ts';

const world = await openStore();

/** Indexes as the plans below show them: table and declared columns. */
const displayNames: Record<string, string> = {};
for (const { id, name, indexes } of world.definition.tables.values()) {
  Object.assign(displayNames, { [`"${name}_pkey"`]: `${name}.objectId`, [`_ix_${id}_audience`]: `${name}.audience` });
  for (const [number, { columns }] of indexes.entries()) {
    const shown = `${name}.${columns.join('+')}`;
    Object.assign(displayNames, {
      [`_ix_${id}_${number}`]: shown,
      [`_ix_${id}_${number}_audience`]: `${shown}+audience`,
    });
  }
}

/** The steps of a plan with their conditions on indexes; those that find the caller's audiences are omitted. */
function stepsOf(plan: readonly string[]): string {
  const named = plan.map((line) =>
    line.replace(/(using|Index Scan on) ("?\w+"?)/, (_, word, name) => `${word} ${displayNames[name] ?? name}`),
  );
  return named
    .filter((line) => /->|^\w|Index Cond/.test(line) && !/_audience_member/.test(line))
    .map((line) => line.trim().replace(/^-> +/, ''))
    .join('\n');
}

const track = { from: { phyName: 'Track', alias: 't' } };
const album = { from: { phyName: 'Album', alias: 'a' } };
const where = (source: string, ...params: unknown[]) => ({ where: { expression: { source, params } } });
const page = { range: { offset: 40, limit: 20 } };
const by = (...columns: string[]) => ({ orderBy: columns.map((column) => ({ column })) });
const down = (...columns: string[]) => ({ orderBy: columns.map((column) => ({ column, type: 'DESC' })) });
const join = (type: string, entity: string, entityAlias: string) => ({
  join: [{ type, entity, entityAlias, expression: { source: '#t.AlbumId = #a.objectId' } }],
});

interface Plan {
  readonly form: ExpressionForm;
  readonly kind?: RowPlan | 'count';
  readonly members?: readonly string[];
  /** Steps that the plan must have. */
  readonly has: readonly string[];
  /** Steps that it may have besides reading indexes; never a sort of all rows or a scan of a whole table. */
  readonly may?: RegExp;
}

const plans: Readonly<Record<string, Plan>> = {
  'by objectId': { form: { ...track, ...where('#t.objectId = ?', 't5') }, has: ['Index Scan using Track.objectId'] },
  'by a span of an indexed column, in its order': {
    form: { ...track, ...where('#t.Size BETWEEN ? AND ?', '10', '12'), ...by('#t.Size', '#t.Name'), ...page },
    has: ['Index Scan using Track.Size+Name', 'Index Cond: (("Size" >= 10) AND ("Size" <= 12))'],
  },
  'a page by objectId': { form: { ...track, ...page }, has: ['Index Scan using Track.objectId'] },
  'a page by objectId, downwards': {
    form: { ...track, ...down('#t.objectId'), ...page },
    has: ['Index Scan Backward using Track.objectId'],
  },
  'a page by an indexed column, nulls and equal names in their order': {
    form: { ...track, ...by('#t.Size', '#t.Name'), ...page },
    has: ['Index Scan using Track.Size+Name'],
  },
  'a page by an indexed column, downwards': {
    form: { ...track, ...down('#t.Name', '#t.objectId'), ...page },
    has: ['Index Scan Backward using Track.Name'],
  },
  'a page by a beginning': {
    form: { ...track, ...where('#t.Name LIKE ?', 'name 12%'), ...by('#t.Name'), ...page },
    has: ['Index Scan using Track.Name', `(("Name" >= 'name 12'::text) AND ("Name" < 'name 13'::text))`],
  },
  'a page of a join to many': {
    form: { ...album, ...join('JOIN', 'Track', 't'), ...by('#a.Title'), ...page },
    has: ['Index Scan using Album.Title', 'Index Scan using Track.AlbumId'],
    may: /^Incremental Sort$/m,
  },
  'a page of a join to one': {
    form: { ...track, ...join('JOIN', 'Album', 'a'), ...by('#t.Name'), ...page },
    has: ['Index Scan using Track.Name', 'Index Scan using Album.objectId'],
    may: /^Incremental Sort$/m,
  },
  'a page of a left join': {
    form: { ...album, ...join('LEFT JOIN', 'Track', 't'), ...by('#a.Title'), ...page },
    has: ['Index Scan using Album.Title', 'Index Scan using Track.AlbumId'],
    may: /^Incremental Sort$/m,
  },
  'a page of a right join': {
    form: { ...album, ...join('RIGHT JOIN', 'Track', 't'), ...by('#t.Name'), ...page },
    has: ['Index Scan using Track.Name', 'Index Scan using Album.objectId'],
    may: /^Incremental Sort$/m,
  },
  'a join found from its first table': {
    form: { ...album, ...join('JOIN', 'Track', 't'), ...where('#a.Title = ?', 'title 7') },
    has: ['Album.Title', 'Track.AlbumId'],
    may: /^(?:Incremental )?Sort$/m,
  },
  'a page by a sub-query': {
    form: {
      ...album,
      ...where('EXISTS (SELECT 1 FROM Track t WHERE #t.AlbumId = #a.objectId)'),
      ...by('#a.Title'),
      ...page,
    },
    has: ['Index Scan using Album.Title', 'Track.AlbumId'],
    may: /^(?:Incremental )?Sort$/m,
  },
  'a sub-query that is false': {
    form: {
      ...album,
      ...where('#a.Title = ? AND NOT EXISTS (SELECT 1 FROM Track t WHERE #t.AlbumId = #a.objectId)', 'title 7'),
    },
    has: ['Album.Title', 'Track.AlbumId'],
    may: /^Sort$/m,
  },
  'a sub-query for some rows, or another condition': {
    form: {
      ...album,
      ...where(
        '#a.Title = ? AND (#a.Year = 1 OR EXISTS (SELECT 1 FROM Track t WHERE #t.AlbumId = #a.objectId))',
        'title 7',
      ),
    },
    has: ['Album.Title', 'Track.AlbumId'],
    may: /^Sort$/m,
  },
  'by what a sub-query finds': {
    form: { ...track, ...where('#t.AlbumId IN (SELECT #a.objectId FROM Album a WHERE #a.Title = ?)', 'title 7') },
    has: ['Album.Title', 'Track.AlbumId'],
    may: /^Sort$/m,
  },
  'a page by audience': {
    form: { ...track, ...by('#t.Name'), ...page },
    kind: 'by audience',
    has: ['using Track.Name+audience', 'Index Cond: (_audience = '],
    // A sort of the first rows of each audience.
    may: /^Sort$/m,
  },
  'a page for who sees one record in a thousand, by a walk': {
    form: { ...track, ...by('#t.Name'), ...page },
    members: stranger,
    has: ['BitmapOr', 'audience'],
    may: /^Sort$/m,
  },
  'a count for who sees one record in a thousand': {
    form: track,
    kind: 'count',
    members: stranger,
    has: ['BitmapOr', 'audience'],
  },
  'a count by an indexed column': {
    form: { ...track, ...where('#t.AlbumId = ?', 'a5') },
    kind: 'count',
    has: ['Index Scan on Track.AlbumId'],
  },
};

for (const [name, { form, kind, members = insider, has, may }] of Object.entries(plans)) {
  test(`plan: ${name}`, async () => {
    const steps = stepsOf(await world.plan(form, kind, members));
    for (const step of has) assert.ok(steps.includes(step), `${step} is missing in\n${steps}`);
    const rest = may === undefined ? steps : steps.replace(may, '');
    assert.doesNotMatch(rest, /Seq Scan|Sort$/m, steps);
  });
}

test('plan: one record', async () => {
  const statement = compileRecord(world.definition.tables.get('Track')!, postgresDialect);
  const steps = stepsOf(await world.planOf(statement, statement.bind({ parameters: ['t5'], members: insider })));
  assert.match(steps, /^Index Scan using Track\.objectId/);
  assert.doesNotMatch(steps, /Seq Scan|Sort/);
});

test('a caller who sees one record in a thousand gets the visible part of a full walk', async () => {
  const form = { ...track, ...by('#t.Name'), range: { offset: 0, limit: 1_000 } };
  const { t: all } = await world.query({ ...track, ...by('#t.Name') }, [...insider, ...stranger]);
  const { t: own } = await world.query(form, stranger);
  assert.equal(own!.length, 100);
  assert.equal(await world.count(track, stranger), 100);
  const ids = new Set(own!.map(({ objectId }) => objectId));
  assert.deepEqual(
    all!.filter(({ objectId }) => ids.has(objectId!)).map(({ objectId }) => objectId),
    [...ids],
  );
});
