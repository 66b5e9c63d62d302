/** The system columns that every table has (docs/reference/values.md#system-columns), in their fixed order. */
import type { Column, ColumnType } from './model.ts';

/** The longest objectId, in code points. */
const objectIdLengthMax = 200;

/** Exact names. A table may spell the two client times differently, see `Spelling`. */
export const systemName = {
  objectId: 'objectId',
  createTime: 'CreateTime',
  updateTime: 'UpdateTime',
  serverCreateTime: 'serverCreateTime',
  serverUpdateTime: 'serverUpdateTime',
  serverRecordStatus: 'serverRecordStatus',
  scopeType: 'scopeType',
  groupIds: 'groupIds',
  createUserId: 'createUserId',
} as const;

/** The position of each system column among the columns of every table. */
export const systemPosition = {
  objectId: 0,
  createTime: 1,
  updateTime: 2,
  serverCreateTime: 3,
  serverUpdateTime: 4,
  serverRecordStatus: 5,
  scopeType: 6,
  groupIds: 7,
  createUserId: 8,
} as const;

/** How a table spells the client's times. */
export interface Spelling {
  readonly createTime: 'CreateTime' | 'createTime';
  readonly updateTime: 'UpdateTime' | 'updateTime';
}

export const usualSpelling: Spelling = { createTime: 'CreateTime', updateTime: 'UpdateTime' };

/** The nine system columns. They are never `required` from the client, because the service fills them in. */
export function systemColumns(spelling: Spelling = usualSpelling): Column[] {
  return [
    column(systemName.objectId, { kind: 'varchar', length: objectIdLengthMax }),
    column(spelling.createTime, { kind: 'text' }),
    column(spelling.updateTime, { kind: 'text' }),
    column(systemName.serverCreateTime, { kind: 'datetime' }),
    column(systemName.serverUpdateTime, { kind: 'datetime' }),
    column(systemName.serverRecordStatus, { kind: 'integer' }),
    column(systemName.scopeType, { kind: 'integer' }),
    column(systemName.groupIds, { kind: 'text' }),
    column(systemName.createUserId, { kind: 'long' }),
  ];
}

const byName: ReadonlyMap<string, Column> = new Map(
  systemColumns().map((system) => [system.name.toLowerCase(), system]),
);

/** The system column with this name, in any letter case. */
export function systemColumnNamed(name: string): Column | undefined {
  return byName.get(name.toLowerCase());
}

/** Whether every record has a value of this column, because the service sets it. */
export function isStoredAlways({ name, system }: Column): boolean {
  const { objectId, serverCreateTime, serverUpdateTime } = systemName;
  return system && (name === objectId || name === serverCreateTime || name === serverUpdateTime);
}

function column(name: string, type: ColumnType): Column {
  return { name, type, required: false, system: true };
}
