/** How SQLite runs queries: through the declared indexes, for joins of every kind, counts and pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExpressionForm } from '../../../src/query/expression-form.ts';
import { table, types } from '../definitions.ts';
import { openSqliteWorld } from '../sqlite-world.ts';

const id = types.varchar(200);
const world = openSqliteWorld(
  table('Artist', { Name: types.varchar(120) }, [['Name']]),
  table('Album', { Title: types.varchar(160), ArtistId: id, Year: types.integer, Note: types.text }, [
    ['ArtistId'],
    ['Title'],
    ['Year', 'Title'],
  ]),
  table('Track', { Name: types.varchar(200), AlbumId: id, Price: types.decimal(10, 2) }, [['AlbumId'], ['Name']]),
);

/** Names of indexes as the plans below show them: the declared columns, or the primary key. */
const displayNames: Readonly<Record<string, string>> = {
  sqlite_autoindex_Artist_1: 'objectId',
  sqlite_autoindex_Album_1: 'objectId',
  sqlite_autoindex_Track_1: 'objectId',
};
for (const { id: tableId, indexes } of world.definition.tables.values()) {
  Object.assign(displayNames, { [`_ix_${tableId}_audience`]: 'audience' });
  for (const [number, { columns }] of indexes.entries()) {
    const shown = columns.join('+');
    Object.assign(displayNames, {
      [`_ix_${tableId}_${number}`]: shown,
      [`_ix_${tableId}_${number}_audience`]: `audience+${shown}`,
    });
  }
}

function planOf(form: ExpressionForm, kind: 'walk' | 'by audience' | 'count' | 'in order'): string[] {
  return world
    .plan(form, kind)
    .map((step) => step.replace(/INDEX (\w+)/, (_, name) => `INDEX ${displayNames[name] ?? name}`));
}

type JoinType = 'JOIN' | 'LEFT JOIN' | 'RIGHT JOIN';

const join = (type: JoinType, entity: string, entityAlias: string, source: string, ...params: unknown[]) => ({
  type,
  entity,
  entityAlias,
  expression: { source, params },
});
const where = (source: string, ...params: unknown[]) => ({ where: { expression: { source, params } } });
const page = { range: { offset: 40, limit: 20 } };
const by = (...columns: string[]) => ({ orderBy: columns.map((column) => ({ column })) });

const album = { from: { phyName: 'Album', alias: 'a' } };
const track = { from: { phyName: 'Track', alias: 't' } };
const ofAlbum = '#t.AlbumId = #a.objectId';
const tracks = (type: JoinType, more = '') => join(type, 'Track', 't', `${ofAlbum}${more}`);
const albums = (type: JoinType) => join(type, 'Album', 'a', ofAlbum);
const artists = (type: JoinType) => join(type, 'Artist', 'r', '#a.ArtistId = #r.objectId');

const lastTerm = 'USE TEMP B-TREE FOR LAST TERM OF ORDER BY';
const sorted = 'USE TEMP B-TREE FOR ORDER BY';
const titled = 'SEARCH Album USING INDEX Title (Title=?)';
const named = 'SEARCH Track USING INDEX Name (Name=?)';
const trackOf = 'SEARCH Track USING INDEX AlbumId (AlbumId=?)';
const albumOf = 'SEARCH Album USING INDEX objectId (objectId=?)';

const ofTrack = 'CORRELATED SCALAR SUBQUERY';
const hasTrack = `EXISTS (SELECT 1 FROM Track t WHERE ${ofAlbum})`;

const rowPlans: readonly (readonly [string, ExpressionForm, readonly string[]])[] = [
  ['by objectId', { ...album, ...where('#a.objectId = ?', 'x') }, [albumOf]],
  [
    'by an indexed column',
    { ...album, ...where('#a.ArtistId = ?', 'x') },
    ['SEARCH Album USING INDEX ArtistId (ArtistId=?)'],
  ],
  [
    'by several values',
    { ...album, ...where('#a.ArtistId IN (?, ?)', 'x', 'y') },
    ['SEARCH Album USING INDEX audience+ArtistId (_audience=? AND ArtistId=?)', sorted],
  ],
  [
    'by a beginning',
    { ...album, ...where("#a.Title LIKE 'Let%'"), ...by('#a.Title') },
    ['SEARCH Album USING INDEX Title (Title>? AND Title<?)'],
  ],
  [
    'by a beginning sent',
    { ...album, ...where('#a.Title LIKE ?', 'Let%'), ...by('#a.Title') },
    ['SEARCH Album USING INDEX Title (Title>? AND Title<?)'],
  ],
  [
    'by a span, in its order',
    { ...album, ...where('#a.Year BETWEEN ? AND ?', '1990', '1999'), ...by('#a.Year', '#a.Title') },
    ['SEARCH Album USING INDEX Year+Title (Year>? AND Year<?)'],
  ],
  [
    'by one column, in the order of the next',
    { ...album, ...where('#a.Year = 1990'), ...by('#a.Title'), ...page },
    ['SEARCH Album USING INDEX Year+Title (Year=?)'],
  ],
  [
    'by either of two columns',
    { ...album, ...where("#a.Title = 'x' OR #a.ArtistId = 'y'") },
    ['MULTI-INDEX OR', 'INDEX 1', titled, 'INDEX 2', 'SEARCH Album USING INDEX ArtistId (ArtistId=?)', sorted],
  ],

  ['a page, by objectId', { ...album, ...page }, ['SCAN Album USING INDEX objectId']],
  ['a page, by an indexed column', { ...album, ...by('#a.Title'), ...page }, ['SCAN Album USING INDEX Title']],
  [
    'a page, by two indexed columns',
    { ...album, ...by('#a.Year', '#a.Title'), ...page },
    ['SCAN Album USING INDEX Year+Title'],
  ],
  [
    'a page, descending: only equal keys are sorted',
    { ...album, orderBy: [{ column: '#a.Title', type: 'DESC' }], ...page },
    ['SCAN Album USING INDEX Title', lastTerm],
  ],

  ['inner join', { ...album, join: [tracks('JOIN')], ...where('#a.Title = ?', 'x') }, [titled, trackOf, lastTerm]],
  [
    'inner join, found from its second table',
    { ...album, join: [tracks('JOIN')], ...where('#t.Name = ?', 'x') },
    [named, albumOf, sorted],
  ],
  ['inner join to one', { ...track, join: [albums('JOIN')], ...where('#t.Name = ?', 'x') }, [named, albumOf, lastTerm]],
  [
    'inner join with itself',
    { ...album, join: [join('JOIN', 'Album', 'b', '#b.ArtistId = #a.ArtistId')], ...where('#a.objectId = ?', 'x') },
    [albumOf, 'SEARCH Album USING INDEX ArtistId (ArtistId=?)'],
  ],
  [
    'left join',
    { ...album, join: [tracks('LEFT JOIN')], ...where('#a.Title = ?', 'x') },
    [titled, `${trackOf} LEFT-JOIN`, lastTerm],
  ],
  [
    'left join with a condition',
    { ...album, join: [tracks('LEFT JOIN', ' AND #t.Price > 1')], ...where('#a.Title = ?', 'x') },
    [titled, `${trackOf} LEFT-JOIN`, lastTerm],
  ],
  [
    'right join',
    { ...album, join: [tracks('RIGHT JOIN')], ...where('#t.Name = ?', 'x') },
    [named, `${albumOf} LEFT-JOIN`, sorted],
  ],
  [
    'right join to many',
    { ...track, join: [albums('RIGHT JOIN')], ...where('#a.Title = ?', 'x') },
    [titled, `${trackOf} LEFT-JOIN`, sorted],
  ],
  [
    'right, then left join',
    { ...album, join: [tracks('RIGHT JOIN'), artists('LEFT JOIN')], ...where('#t.Name = ?', 'x') },
    [named, `${albumOf} LEFT-JOIN`, 'SEARCH Artist USING INDEX objectId (objectId=?) LEFT-JOIN', sorted],
  ],
  [
    'right join of a join: the join before it is made once, and then looked up in',
    { ...album, join: [artists('JOIN'), tracks('RIGHT JOIN')], ...where('#t.Name = ?', 'x') },
    [
      'MATERIALIZE (join)',
      'SCAN Album',
      'SEARCH Artist USING INDEX objectId (objectId=?)',
      named,
      'SEARCH (join) USING AUTOMATIC COVERING INDEX (objectId=?) LEFT-JOIN',
      sorted,
    ],
  ],

  ['a sub-query for each row', { ...album, ...where(`#a.Title = ? AND ${hasTrack}`, 'x') }, [titled, ofTrack, trackOf]],
  [
    'a sub-query for each row that it is false of',
    { ...album, ...where(`#a.Title = ? AND NOT ${hasTrack}`, 'x') },
    [titled, ofTrack, trackOf],
  ],
  [
    'a page by a sub-query for each row, in an indexed order',
    { ...album, ...where(hasTrack), ...by('#a.Title'), ...page },
    ['SCAN Album USING INDEX Title', ofTrack, trackOf],
  ],
  [
    'a sub-query in a sub-query, each for the row around it',
    {
      from: { phyName: 'Artist', alias: 'r' },
      ...where(`EXISTS (SELECT 1 FROM Album a WHERE #a.ArtistId = #r.objectId AND ${hasTrack})`),
    },
    ['SCAN Artist USING INDEX objectId', ofTrack, 'SEARCH Album USING INDEX ArtistId (ArtistId=?)', ofTrack, trackOf],
  ],
  [
    'by what a sub-query finds once',
    { ...track, ...where("#t.AlbumId IN (SELECT #a.objectId FROM Album a WHERE #a.Title = 'x')") },
    [
      'SEARCH Track USING INDEX audience+AlbumId (_audience=? AND AlbumId=?)',
      'SEARCH Album USING COVERING INDEX audience+Title (_audience=? AND Title=?)',
      sorted,
    ],
  ],
  [
    'a sub-query for each row, without an index: a list that is made once',
    {
      ...album,
      ...where('#a.Title = ? AND EXISTS (SELECT 1 FROM Track t WHERE #t.Price = #a.Year AND #t.Name > ?)', 'x', 'y'),
    },
    [titled, 'SEARCH Track USING INDEX audience+Name (_audience=? AND Name>?)'],
  ],
  [
    'a list for each row, by an index',
    {
      ...album,
      ...where('#a.Title = ? AND #a.Note IN (SELECT #t.Name FROM Track t WHERE #t.AlbumId = #a.objectId)', 'x'),
    },
    [titled, trackOf],
  ],

  [
    'a page of an inner join to many',
    { ...album, join: [tracks('JOIN')], ...page },
    ['SCAN Album USING INDEX objectId', trackOf],
  ],
  [
    'a page of an inner join, by an indexed column',
    { ...album, join: [tracks('JOIN')], ...by('#a.Title'), ...page },
    ['SCAN Album USING INDEX Title', trackOf, lastTerm],
  ],
  [
    'a page of an inner join to one',
    { ...track, join: [albums('JOIN')], ...by('#t.Name'), ...page },
    ['SCAN Track USING INDEX Name', albumOf, lastTerm],
  ],
  [
    'a page of an inner join, found from its second table',
    { ...album, join: [tracks('JOIN')], ...where('#t.Name = ?', 'x'), ...page },
    [named, albumOf, sorted],
  ],
  [
    'a page of a left join',
    { ...album, join: [tracks('LEFT JOIN')], ...by('#a.Title'), ...page },
    ['SCAN Album USING INDEX Title', `${trackOf} LEFT-JOIN`, lastTerm],
  ],
  [
    'a page of a right join, by its second table',
    { ...album, join: [tracks('RIGHT JOIN')], ...by('#t.Name'), ...page },
    ['SCAN Track USING INDEX Name', `${albumOf} LEFT-JOIN`, 'USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY'],
  ],
];

const sameName = (step: string) =>
  step.replace(/\(join-\d+\)/, '(join)').replace(/(CORRELATED SCALAR SUBQUERY) \d+/, '$1');

for (const [name, form, expected] of rowPlans) {
  test(`plan: ${name}`, () => assert.deepEqual(planOf(form, 'walk').map(sameName), expected));
}

const countPlans: readonly (readonly [string, ExpressionForm, readonly string[]])[] = [
  ['all', album, ['SEARCH Album USING COVERING INDEX audience (_audience=?)']],
  [
    'by an indexed column',
    { ...album, ...where('#a.Title = ?', 'x') },
    ['SEARCH Album USING COVERING INDEX audience+Title (_audience=? AND Title=?)'],
  ],
  ['inner join', { ...album, join: [tracks('JOIN')], ...where('#a.Title = ?', 'x') }, [titled, trackOf]],
  [
    'left join',
    { ...album, join: [tracks('LEFT JOIN')], ...where('#a.Title = ?', 'x') },
    [titled, `${trackOf} LEFT-JOIN`],
  ],
  [
    'right join',
    { ...album, join: [tracks('RIGHT JOIN')], ...where('#t.Name = ?', 'x') },
    [named, `${albumOf} LEFT-JOIN`],
  ],
];

for (const [name, form, expected] of countPlans) {
  test(`plan of a count: ${name}`, () => assert.deepEqual(planOf(form, 'count'), expected));
}

const audiencePlans: readonly (readonly [string, ExpressionForm, string])[] = [
  ['in the order of ids', album, 'audience (_audience=?)'],
  ['in an indexed order', { ...album, ...by('#a.Title') }, 'audience+Title (_audience=?)'],
  [
    'by an indexed column',
    { ...album, ...where('#a.ArtistId = ?', 'x') },
    'audience+ArtistId (_audience=? AND ArtistId=?)',
  ],
  [
    'by one indexed column in the order of the next',
    { ...album, ...where('#a.Year = ?', '1970'), ...by('#a.Title') },
    'audience+Year+Title (_audience=? AND Year=?)',
  ],
];

for (const [name, form, expected] of audiencePlans) {
  test(`plan of a page by audience: ${name}`, () => {
    const plan = planOf({ ...form, ...page }, 'by audience');
    assert.ok(plan.includes(`SEARCH t0 USING COVERING INDEX ${expected}`), plan.join('\n'));
    assert.ok(plan.includes('SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)'), plan.join('\n'));
  });
}

test('every visited row checks the time, even one that fails every condition', () => {
  for (let index = 0; index < 500; index++) {
    world.insert(
      'Album',
      { objectId: `a${index}`, Title: `t${index}`, ArtistId: 'r1', Year: index },
      index % 2 ? 'a' : 'u8',
    );
    world.insert('Track', { objectId: `t${index}`, Name: `n${index}`, AlbumId: `a${index}` });
  }
  const visited = (form: ExpressionForm) => {
    world.visited = 0;
    world.query(form);
    return world.visited;
  };
  assert.equal(visited({ ...album, ...where("#a.Note = 'x'") }), 500);
  assert.ok(visited({ ...album, ...page }) < 140, 'a page ends the scan');
  assert.equal(visited({ ...album, join: [tracks('LEFT JOIN')], ...where('#a.Year = 3') }), 2);
  assert.equal(visited({ ...album, join: [tracks('RIGHT JOIN')] }), 1_000);
  const found = (condition: string) => `#a.Year < 4 AND NOT EXISTS (SELECT 1 FROM Track t WHERE ${condition})`;
  assert.equal(visited({ ...album, ...where(found('#t.Price = 1')) }), 2 + 500, 'a sub-query that is answered once');
  assert.equal(visited({ ...album, ...where(found('#t.Price > #a.Year')) }), 2 + 2 * 500, 'one for each row');
  const alike = '#t.Price = #a.Year AND #a.Title = LOWER(#t.Name) AND #t.Price > 1';
  assert.equal(visited({ ...album, ...where(found(alike)) }), 2 + 500, 'one for each row, without an index');
  const listed = '#a.Year < 4 AND #a.Title NOT IN (SELECT #t.Name FROM Track t)';
  assert.equal(visited({ ...album, ...where(listed) }), 2 + 500, 'a list');
  const cross = { ...album, join: [join('JOIN', 'Track', 't', "#a.Note = 'x' OR #t.Name = 'x'")] };
  assert.ok(visited(cross) >= 500 * 250);
});

test('a late statement stops', () => {
  world.late = true;
  const forms: ExpressionForm[] = [
    album,
    { ...album, ...where("#a.Note = 'x'") },
    { ...album, join: [tracks('JOIN')] },
    { ...album, join: [tracks('RIGHT JOIN')] },
    { ...album, join: [artists('LEFT JOIN'), tracks('RIGHT JOIN')] },
    { ...album, ...where("EXISTS (SELECT 1 FROM Track t WHERE #t.Name = 'x' OR #t.Price = 1)") },
  ];
  for (const form of forms) {
    assert.throws(() => world.query(form), { name: 'DeadlinePassed' });
    assert.throws(() => world.count(form), { name: 'DeadlinePassed' });
  }
  world.late = false;
  assert.equal(world.query({ ...album, ...where('#a.objectId = ?', 'a1') }).a!.length, 1);
});

test('a large conjunction is planned, and is never too deep for SQLite', () => {
  const terms = (count: number, piece: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => piece(index)).join(' AND ');
  const pairs = terms(1_300, (index) => `(#a.Year = ${index} OR #a.Title = 'x${index}')`);
  assert.equal(world.count({ ...album, ...where(pairs) }), 0);
  const on = terms(600, (index) => `#t.AlbumId = #a.objectId AND #a.Year <> ${index}`);
  const joins = [join('JOIN', 'Track', 't', on), join('JOIN', 'Artist', 'r', on)];
  assert.equal(world.count({ ...album, join: joins }), 0);
});

test('a page filtered by one index and ordered by another can be walked in its order', () => {
  const form = { ...album, ...where("#a.ArtistId = ? AND #a.Note LIKE '%x%'", 'x'), ...by('#a.Title'), ...page };
  assert.ok(
    planOf(form, 'in order').includes('SEARCH t0 USING INDEX audience+Title (_audience=?)'),
    `${planOf(form, 'in order')}`,
  );
  const listed = {
    ...album,
    ...where('#a.ArtistId IN (SELECT #r.objectId FROM Artist r)'),
    ...by('#a.Title'),
    ...page,
  };
  assert.ok(planOf(listed, 'in order').includes('SEARCH t0 USING INDEX audience+Title (_audience=?)'));
  for (const other of [
    { ...album, ...where("#a.Note = 'x'"), ...by('#a.Title'), ...page },
    { ...album, ...where('#a.ArtistId = ?', 'x'), ...by('#a.ArtistId'), ...page },
    { ...album, ...where('#a.ArtistId = ?', 'x'), ...by('#a.Note'), ...page },
  ]) {
    assert.throws(() => planOf(other, 'in order'), /no walk in order/);
  }
});
