/** The tables of the soak, and the names of its provider. */

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
