/** The tables of the soak, the names of its provider, and the bodies of ordinary requests. */
import type { Random } from '../machine/random.ts';

export const providerName = 'idp';
export const clientId = 'soak-client';

export const itemTable = 'Item';
export const cityTable = 'City';
export const cityCount = 20;

export const cityName = (number: number): string => `City ${number % cityCount}`;

/** @param extra how many columns were added since the first definition */
export function tablesWith(extra: number): object[] {
  const columns = [
    { colName: 'owner', type: 'varchar', fieldLength: 40 },
    { colName: 'count', type: 'integer' },
    { colName: 'city', type: 'varchar', fieldLength: 80 },
    { colName: 'price', type: 'decimal', precision: 12, scale: 2 },
    { colName: 'note', type: 'text' },
    ...Array.from({ length: extra }, (_, number) => ({ colName: `extra${number}`, type: 'integer' })),
  ];
  return [
    {
      name: itemTable,
      primary_key: 'objectId',
      columns,
      indexes: [{ columns: ['owner'] }, { columns: ['city', 'price'] }],
    },
    {
      name: cityTable,
      primary_key: 'objectId',
      columns: [
        { colName: 'name', type: 'varchar', fieldLength: 80 },
        { colName: 'label', type: 'varchar', fieldLength: 80 },
      ],
      indexes: [{ columns: ['name'], unique: true }],
    },
  ];
}

const noteLengthMax = 1_500;
const pageLength = 20;

export function item(objectId: string, owner: string, count: number, random: Random): object {
  return {
    objectId,
    owner,
    count: String(count),
    city: cityName(random.below(cityCount)),
    price: `${random.below(1_000)}.${String(random.below(100)).padStart(2, '0')}`,
    note: 'note '.repeat(random.below(noteLengthMax) / 5),
    scopeType: '3',
  };
}

/** A join and a filter; what differs from call to call is bound, so that the shape of the query is one. */
export function page(random: Random): object {
  const join = { entity: cityTable, entityAlias: 'c', type: random.pick(['INNER JOIN', 'LEFT OUTER JOIN']) };
  return {
    from: { phyName: itemTable, alias: 'i' },
    join: [{ ...join, expression: { source: '#i.city = #c.name', params: [] } }],
    where: {
      expression: { source: '#i.price > ? AND (#c.label LIKE ? OR #i.city = ?)', params: params(random) },
    },
    orderBy: [{ column: '#i.price', type: random.pick(['ASC', 'DESC']) }],
    range: { offset: String(random.below(40)), limit: String(pageLength) },
  };
}

function params(random: Random): string[] {
  return [String(random.below(1_000)), `%number ${random.below(cityCount)}%`, cityName(random.below(cityCount))];
}

export function ownPage(owner: string, limit: number): object {
  return {
    from: { phyName: itemTable, alias: 'i' },
    where: { expression: { source: '#i.owner = ?', params: [owner] } },
    range: { offset: '0', limit: String(limit) },
  };
}

/** An answer of hundreds of kilobytes. */
export const everything: object = {
  from: { phyName: itemTable, alias: 'i' },
  range: { offset: '0', limit: '1000' },
};

export function olderPage(random: Random): object {
  const isAtLeast = 5;
  return {
    objectNames: [itemTable, cityTable],
    returnedObjectNames: [itemTable, cityTable],
    maxRecord: pageLength,
    pageIndex: 1 + random.below(3),
    condition: {
      sortConditions: [{ conditionValue: 2, tableName: itemTable, columnName: 'count' }],
      joinConditions: [
        { joinType: 1, joinObjectName: cityTable, joinColumn: 'name', baseObjectName: itemTable, baseColumn: 'city' },
      ],
      whereConditions: [
        {
          type: 'AND',
          searchConditions: [
            { type: isAtLeast, tableName: itemTable, columnName: 'price', conditionValue: [String(random.below(900))] },
          ],
        },
      ],
    },
  };
}
