/** Tables and their changes, in the service's form (docs/reference/changing-tables.md). Pure. */
export const kinds = ['varchar', 'text', 'integer', 'long', 'double', 'decimal', 'bool', 'datetime', 'json'] as const;
export type Kind = (typeof kinds)[number];

/** The members that state a type. */
export interface Typed {
  readonly type: Kind;
  readonly fieldLength?: number;
  readonly precision?: number;
  readonly scale?: number;
}

export interface Column extends Typed {
  readonly colName: string;
  readonly required?: boolean;
  readonly default?: string;
  /** The name of a table. */
  readonly references?: string;
  readonly fullText?: boolean;
}

export interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly lockFree?: boolean;
}

/** What `changeColumn` changes; null removes a default or a reference. */
export interface ColumnChanges extends Partial<Typed> {
  readonly required?: boolean;
  readonly default?: string | null;
  readonly references?: string | null;
  readonly fullText?: boolean;
}

export type Change =
  | ({ readonly op: 'addTable'; readonly table: string } & Omit<Table, 'name'>)
  | { readonly op: 'renameTable'; readonly table: string; readonly to: string }
  | { readonly op: 'changeTable'; readonly table: string; readonly lockFree: boolean }
  | { readonly op: 'dropTable'; readonly table: string }
  | { readonly op: 'addColumn'; readonly table: string; readonly column: Column }
  | { readonly op: 'renameColumn'; readonly table: string; readonly column: string; readonly to: string }
  | ({ readonly op: 'changeColumn'; readonly table: string; readonly column: string } & ColumnChanges)
  | { readonly op: 'dropColumn'; readonly table: string; readonly column: string }
  | ({ readonly op: 'addIndex' | 'dropIndex'; readonly table: string } & Index)
  | { readonly op: 'restore'; readonly id: number; readonly as?: string; readonly withoutIndexes?: boolean }
  | { readonly op: 'purge'; readonly id: number };

/** System columns that an index may have. */
export const systemColumns = ['objectId', 'serverCreateTime', 'serverUpdateTime', 'createUserId'] as const;

/** `varchar(200)`, `decimal(12, 2)`, `bool` */
export function typeText({ type, fieldLength, precision, scale }: Typed): string {
  if (fieldLength !== undefined) return `${type}(${fieldLength})`;
  return precision === undefined ? type : `${type}(${precision}, ${scale ?? 0})`;
}

/** Adds a change; an addition to a table that the previous change adds is merged into that change. */
export function withChange(changes: readonly Change[], next: Change): readonly Change[] {
  const last = changes.at(-1);
  if (last?.op === 'addTable' && 'table' in next && next.table === last.table) {
    const before = changes.slice(0, -1);
    if (next.op === 'addColumn') return [...before, { ...last, columns: [...last.columns, next.column] }];
    if (next.op === 'addIndex') {
      const { columns, unique } = next;
      return [...before, { ...last, indexes: [...last.indexes, { columns, unique }] }];
    }
  }
  return [...changes, next];
}
