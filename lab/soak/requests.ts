/** The tables of the soak, the names of its provider, and the bodies of ordinary requests. */
import type { Random } from '../machine/random.ts';
import { table, tableName } from '../prove/service.ts';

export const providerName = 'idp';
export const clientId = 'soak-client';

export const cityTable = 'City';
export const cityCount = 5;

/** @param extra how many columns were added since the first definition */
export function tablesWith(extra: number): object[] {
  const added = Array.from({ length: extra }, (_, number) => ({ colName: `extra${number}`, type: 'integer' }));
  const entries = {
    columns: [...table.columns, ...added],
    indexes: [...table.indexes, { columns: ['part', 'count'] }],
  };
  const columns = [
    { colName: 'number', type: 'integer' },
    { colName: 'label', type: 'varchar', fieldLength: 80 },
  ];
  const cities = { columns, indexes: [{ columns: ['number'], unique: true }] };
  return [
    { ...table, ...entries },
    { name: cityTable, primary_key: 'objectId', ...cities },
  ];
}

export function cities(): object[] {
  return Array.from({ length: cityCount }, (_, number) => ({
    ...{ objectId: `city-${number}`, number: String(number), label: `The city of number ${number}`, scopeType: '3' },
  }));
}

/** The end of a transaction's note: up to 1 500 characters, the same at every attempt. */
export function noteOf(transactionId: string): string {
  return 'note '.repeat((Number(/\d+$/.exec(transactionId)?.[0] ?? 0) * 37) % 300);
}

const pageLength = 20;

/** A join and a filter; varying values are bound, so that all queries have one shape. */
export function page(random: Random): object {
  const join = { entity: cityTable, entityAlias: 'c', type: random.pick(['INNER JOIN', 'LEFT OUTER JOIN']) };
  const number = () => String(random.below(cityCount));
  const params = [String(random.below(4)), `%number ${number()}%`, number()];
  return {
    from: { phyName: tableName, alias: 'i' },
    join: [{ ...join, expression: { source: '#i.part = #c.number', params: [] } }],
    where: { expression: { source: '#i.count >= ? AND (#c.label LIKE ? OR #i.part = ?)', params } },
    orderBy: [{ column: '#i.count', type: random.pick(['ASC', 'DESC']) }],
    range: { offset: String(random.below(40)), limit: String(pageLength) },
  };
}

export function ownPage(owner: string, limit: number): object {
  return {
    from: { phyName: tableName, alias: 'i' },
    where: { expression: { source: '#i.family = ?', params: [owner] } },
    range: { offset: '0', limit: String(limit) },
  };
}

/** An answer of hundreds of kilobytes. */
export const everything: object = {
  from: { phyName: tableName, alias: 'i' },
  range: { offset: '0', limit: '1000' },
};

export function olderPage(random: Random): object {
  const isAtLeast = 5;
  return {
    objectNames: [tableName, cityTable],
    returnedObjectNames: [tableName, cityTable],
    maxRecord: pageLength,
    pageIndex: 1 + random.below(3),
    condition: {
      sortConditions: [{ conditionValue: 2, tableName: tableName, columnName: 'mark' }],
      joinConditions: [
        { joinType: 1, joinObjectName: cityTable, joinColumn: 'number', baseObjectName: tableName, baseColumn: 'part' },
      ],
      whereConditions: [
        {
          type: 'AND',
          searchConditions: [
            { type: isAtLeast, tableName: tableName, columnName: 'count', conditionValue: [String(random.below(4))] },
          ],
        },
      ],
    },
  };
}
