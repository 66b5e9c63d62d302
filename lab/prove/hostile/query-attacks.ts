/** Queries that take much memory and time: the most expensive of each kind in the language. */
import { postRequest } from '../../client/messages.ts';
import type { Space } from '../../service/spaces.ts';

export const tableName = 'Thing';

export const where = (source: string, params: readonly unknown[] = []) => ({
  where: { expression: { source, params } },
});

const from = { from: { phyName: tableName, alias: 't' } };

export function query(space: Space, rest: object, path = ''): Buffer {
  return postRequest(space, `/data/query/${tableName}${path}`, JSON.stringify({ ...from, ...rest }));
}

function select(space: Space, values: readonly string[], rest: object): Buffer {
  const named = values.map((source, index) => ({ name: `v${index}`, expression: { source } }));
  const body = { ...from, ...(named.length > 0 && { select: named }), ...rest };
  return postRequest(space, `/data/select/${tableName}`, JSON.stringify(body));
}

/** The table joined with itself three times. */
const joined = (type: string, on: (alias: string) => string) => ({
  join: ['a', 'b', 'c'].map((entityAlias) => ({
    type,
    entity: tableName,
    entityAlias,
    expression: { source: on(entityAlias), params: [] },
  })),
});
const crossJoin = joined('INNER JOIN', () => '1 = 1');
const sum = '#t.rank + #a.rank + #b.rank + #c.rank';

/** Sub-queries nested to this depth. */
function nestedExists(depth: number): string {
  const conditions = Array.from({ length: depth }, (_, index) => {
    const outer = index === 0 ? 't' : `s${index - 1}`;
    return `NOT EXISTS (SELECT 1 FROM ${tableName} s${index} WHERE #s${index}.rank <> #${outer}.rank + ${index} AND `;
  });
  return `${conditions.join('')}1 = 1${')'.repeat(depth)}`;
}

export function queryAttacksOn(space: Space): readonly (readonly [name: string, bytes: Buffer])[] {
  const count = (source: string) => query(space, where(source), '/count');
  const cases = Array.from({ length: 100 }, (_, index) => `WHEN UPPER(#t.note) = 'N${index}' THEN ${index}`).join(' ');
  const pattern = `%${'L%r_e%'.repeat(60)}nobody%`;
  const cuts = "SUBSTR(TRIM(#c.note), 2) || 'x' = 'N' OR ";
  /** The maximum number of conditions with the maximum number of words. */
  const words = Array.from({ length: 63 }, (_, index) => `${index}*`).join(' ');
  const matches = (not: string) =>
    Array.from(
      { length: 16 },
      (_, index) => `${not} MATCH(#t.label, '${index % 2 === 0 ? 'rec* r*' : `r* ${words}`}')`,
    ).join(' OR ');
  const longTexts = Array.from({ length: 4 }, (_, index) => `SUBSTR(TRIM(#t.note), ${index + 1})`);
  const forged = `v1.${'A'.repeat(60_000)}`;
  return [
    ['lower case of large texts', count("LOWER(#t.note) = 'nobody'")],
    ['upper case, often', count(`${"UPPER(#t.note) = 'N' OR ".repeat(480)}1 = 0`)],
    ['cross join', query(space, { ...crossJoin, ...where(`${sum} = -1`) })],
    [
      'full joins',
      query(space, { ...joined('FULL OUTER JOIN', (alias) => `#t.rank <> #${alias}.rank`), ...where(`${sum} = -1`) }),
    ],
    ['deep expression', query(space, where(`${'('.repeat(190)}1 = 0${')'.repeat(190)}`))],
    ['groups of a cross join', select(space, [sum, 'COUNT(DISTINCT #c.label)'], { ...crossJoin, groupBy: ['v0'] })],
    ['groups of large texts', select(space, ['LOWER(#t.note)', 'COUNT(*)'], { groupBy: ['v0'] })],
    [
      'having',
      select(space, ['#t.label', `SUM(${sum})`], {
        ...crossJoin,
        groupBy: ['v0'],
        having: { expression: { source: `AVG(${sum}) < -1` } },
        orderBy: [{ column: 'v1', type: 'DESC' }],
      }),
    ],
    ['distinct', select(space, ['#t.objectId', '#a.objectId', '#b.objectId'], { ...crossJoin, distinct: true })],
    ['cases', count(`CASE ${cases} END = -1`)],
    ['long texts put together', count(`LENGTH(${'#t.note || '.repeat(100)}#t.note) = -1`)],
    ['functions, often', query(space, { ...crossJoin, ...where(`${cuts.repeat(4)}1 = 0`) }, '/count')],
    [
      'as many long texts as a row may have',
      select(space, longTexts, { where: { expression: { source: '#t.rank = 0' } } }),
    ],
    ['words, often', query(space, { ...crossJoin, ...where(`(${matches('NOT NOT')}) AND ${sum} = -1`) })],
    ['words of every record', query(space, where(`(${matches('')}) AND #t.rank = -1`), '/count')],
    ['ILIKE with many wildcards', count(`#t.note ILIKE '${pattern}'`)],
    ['JSON_TEXT, often', count(`${"JSON_TEXT(#t.extra, '$.a[999].b') = 'N' OR ".repeat(200)}1 = 0`)],
    [
      'JSON_NUMBER, joined',
      query(space, { ...crossJoin, ...where("JSON_NUMBER(#c.extra, '$.n') <> JSON_NUMBER(#t.extra, '$.n')") }),
    ],
    ['sub-queries in sub-queries', count(nestedExists(8))],
    ['IN (SELECT …) of large texts', count(`LOWER(#t.note) IN (SELECT UPPER(#s.note) FROM ${tableName} s)`)],
    [
      'cursor in the order of large texts',
      select(space, [], { orderBy: [{ column: '#t.note', type: 'DESC' }], range: { limit: 50 }, after: '' }),
    ],
    ['cursor of a cross join', select(space, [sum], { ...crossJoin, range: { limit: 1_000 }, after: '' })],
    ['forged cursor', select(space, [], { range: { limit: 50 }, after: forged })],
  ];
}
