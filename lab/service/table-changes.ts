/** Changes of tables, one of each kind, with their reversals. */

/** A change and its reversal, given the name of the table and an id in the bin. */
export type Kind = readonly [name: string, there: Make, back: Make];
type Make = (table: string, binId: number) => readonly object[];

const column = (op: string, column: string, more: object = {}): Make => {
  return (table) => [{ op, table, column, ...more }];
};
const restored: Make = (_, id) => [{ op: 'restore', id }];
const index = (op: string, columns: readonly string[], unique: boolean): Make => {
  return (table) => [{ op, table, columns, unique }];
};
/** The bin's entry of a change of type or a drop is removed together with its reversal. */
const purging =
  (make: Make): Make =>
  (table, id) => [...make(table, id), { op: 'purge', id }];

/** They are for a table with the columns `n`, an integer, and `s`, a varchar of 40. */
export const kinds: readonly Kind[] = [
  ['rename a column', column('renameColumn', 's', { to: 'other' }), column('renameColumn', 'other', { to: 's' })],
  ['add a column', added(), purgedDrop()],
  [
    'widen integers',
    column('changeColumn', 'n', { type: 'long' }),
    purging(column('changeColumn', 'n', { type: 'integer' })),
  ],
  [
    'make text of numbers',
    column('changeColumn', 'n', { type: 'varchar' }),
    purging(column('changeColumn', 'n', { type: 'integer' })),
  ],
  ['add an index', index('addIndex', ['s'], false), index('dropIndex', ['s'], false)],
  ['add a unique index', index('addIndex', ['n', 's'], true), index('dropIndex', ['n', 's'], true)],
  [
    'give a column full text',
    column('changeColumn', 's', { fullText: true }),
    column('changeColumn', 's', { fullText: false }),
  ],
  ['drop a column', column('dropColumn', 's'), restored],
  [
    'require a column',
    column('changeColumn', 's', { required: true }),
    column('changeColumn', 's', { required: false }),
  ],
  [
    'rename the table',
    (table) => [{ op: 'renameTable', table, to: 'Renamed' }],
    () => [{ op: 'renameTable', table: 'Renamed', to: 'Changed' }],
  ],
  ['drop the table', (table) => [{ op: 'dropTable', table }], restored],
];

function added(): Make {
  return (table) => [{ op: 'addColumn', table, column: { colName: 'x', type: 'integer', default: 7, required: true } }];
}

function purgedDrop(): Make {
  return (table) => [{ op: 'dropColumn', table, column: 'x' }];
}

export function nameOf([name]: Kind, isBack: boolean): string {
  return isBack ? `${name}, and take it back` : name;
}
