/**
 * A private storage on the engine of the run, with one table in data space 1, and short functions to write and read it.
 */
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { defaults, type Settings } from '../../src/config.ts';
import { type Environment, systemEnvironment } from '../../src/environment.ts';
import { compileRecord } from '../../src/query/compile.ts';
import type { BoundValue, Output, Statement } from '../../src/query/statement.ts';
import { groupIdsText, membersOf } from '../../src/schema/audience.ts';
import { Draft } from '../../src/schema/draft.ts';
import type {
  Column,
  ColumnType,
  DefinitionChange,
  Index,
  SpaceDefinition,
  StoredValue,
  Table,
  TableDefinition,
} from '../../src/schema/model.ts';
import { systemColumns } from '../../src/schema/system.ts';
import type {
  AddItem,
  Change,
  DeleteItem,
  ItemFailure,
  Storage,
  UpdateItem,
  WriteBatch,
  WriteOutcome,
  WrittenItem,
} from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import { wholeOf } from '../engines/json-text.ts';
import { fewThreads, laidOutFor, type TestScratch } from '../engines/scratch.ts';

export const start = Date.UTC(2026, 0, 1);

export function column(name: string, type: ColumnType, required = false): Column {
  return { name, type, required, system: false };
}

export function tableOf(name: string, columns: readonly Column[], indexes: readonly Index[] = []): TableDefinition {
  return { name, columns: [...systemColumns(), ...columns], indexes, lockFree: false };
}

export const taskTable = tableOf(
  'task',
  [column('title', { kind: 'varchar', length: 100 }), column('code', { kind: 'integer' })],
  [
    { columns: ['title'], unique: false },
    { columns: ['code'], unique: true },
  ],
);

export interface Clock extends Environment {
  time: number;
}

export function clockAt(time: number): Clock {
  const clock = { time, now: () => clock.time, random: systemEnvironment.random };
  return clock;
}

export interface OpenOptions {
  /** The location of an existing storage; a new, empty one by default. */
  readonly place?: TestScratch;
  readonly settings?: Partial<Settings>;
  readonly clock?: Clock;
  readonly log?: pino.Logger;
}

/** Closed after the test, unless the test has closed it. */
export async function openScratch(test: TestContext, options: OpenOptions = {}) {
  const scratch = options.place ?? (await laidOutFor(test));
  const settings: Settings = { ...defaults, ...fewThreads, ...options.settings, ...scratch.settings };
  const log = options.log ?? pino({ level: 'silent' });
  const storage = await openStorage(settings, options.clock ?? clockAt(start), log);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= storage.close();
    return closing;
  };
  scratch.closeFirst(close);
  return { storage, scratch, settings, close };
}

/** Parts of a change, by the names of tables. */
export interface ChangeParts {
  readonly reset?: boolean;
  readonly newTables?: readonly TableDefinition[];
  readonly newColumns?: readonly { readonly table: string; readonly columns: readonly Column[] }[];
  readonly newIndexes?: readonly { readonly table: string; readonly indexes: readonly Index[] }[];
  readonly newLockFree?: readonly string[];
}

/** A change of this definition with only the given parts. */
export function changeOf({ catalogue }: SpaceDefinition, parts: ChangeParts): DefinitionChange {
  const draft = new Draft(catalogue);
  if (parts.reset === true) draft.reset();
  const idOf = (name: string) => draft.tables.find((table) => table.name === name)?.id as number;
  for (const table of parts.newTables ?? []) draft.addTable(table);
  for (const { table, columns } of parts.newColumns ?? []) {
    for (const column of columns) draft.addColumn(idOf(table), column);
  }
  for (const { table, indexes } of parts.newIndexes ?? []) {
    for (const index of indexes) draft.addIndex(idOf(table), index, 'tables');
  }
  for (const table of parts.newLockFree ?? []) draft.setLockFree(idOf(table), true);
  return draft.change();
}

export async function defineTables(
  storage: Storage,
  spaceId: number,
  tables: readonly TableDefinition[],
): Promise<SpaceDefinition> {
  const present = await storage.spaces.definition(spaceId);
  const definition = await storage.spaces.define(spaceId, changeOf(present, { newTables: tables }));
  if (definition === null) throw new Error('The definition was changed meanwhile.');
  return definition;
}

/** A storage whose data space 1 has the table `task`. */
export async function taskScratch(test: TestContext, options: OpenOptions = {}) {
  const opened = await openScratch(test, options);
  await opened.storage.spaces.create(1);
  await defineTables(opened.storage, 1, [taskTable]);
  return { ...opened, tasks: await tasksIn(opened.storage, 1) };
}

/** User 7 in groups 1 and 3, at the start of the clock, in an unknown transaction. */
export const someone = {
  userId: 7,
  groupIds: [1, 3],
  roleIds: [5],
  now: start,
  transactionId: null,
  requestHash: 'a hash',
};

export type BatchOptions = Partial<WriteBatch>;

export interface NewTask {
  readonly id?: string;
  readonly generated?: boolean;
  readonly title?: string | null;
  readonly code?: number | null;
  readonly scopeType?: 1 | 2 | 3;
  readonly groupIds?: readonly number[];
}

/** Reads and writes the tasks of one data space. */
export async function tasksIn(storage: Storage, spaceId: number) {
  const { spaces } = storage;
  const definition = await spaces.definition(spaceId);
  const table = definition.tables.get('task') as Table;
  const record = compileRecord(table, storage.dialect);

  function write(change: Change, options: BatchOptions = {}): Promise<WriteOutcome> {
    const by = { ...someone, ...options };
    return spaces.write(spaceId, {
      definitionVersion: definition.version,
      members: membersOf(by.userId, by.groupIds),
      refused: false,
      changes: [{ table: 'task', ...change }],
      ...by,
    });
  }
  return {
    definition,
    record,
    write,
    add: (tasks: readonly NewTask[], options: BatchOptions = {}) =>
      write({ operation: 'add', items: tasks.map((task) => addItem(task, options)) }, options),
    update: (items: readonly UpdateItem[], options?: BatchOptions) => write({ operation: 'update', items }, options),
    delete: (items: readonly DeleteItem[], options?: BatchOptions) => write({ operation: 'delete', items }, options),
    /** The record from its JSON, or null. */
    async get(objectId: string, members: readonly string[] = membersOf(7, [1, 3])) {
      const text = await spaces.record(spaceId, record, record.bind({ parameters: [objectId], members }));
      return text === null ? null : (JSON.parse(wholeOf(text)) as Record<string, string | null>);
    },
  };
}

let lastId = 0;

function addItem(task: NewTask, { userId = someone.userId }: BatchOptions): AddItem {
  const { scopeType = 2, groupIds = [1, 3], title = null, code = null } = task;
  const audience = scopeType === 3 ? 'a' : scopeType === 1 ? `u${userId}` : `g${groupIds.join(',')}`;
  const groups = groupIds.length === 0 ? null : groupIdsText(groupIds);
  const system: StoredValue[] = [null, '1', '2', null, null, 1, scopeType, groups, BigInt(userId)];
  const objectId = task.id ?? `task_${++lastId}`;
  return {
    objectId,
    generated: task.generated ?? task.id === undefined,
    audience,
    values: [...system, title, code],
  };
}

export function change(
  objectId: string,
  base: number,
  values: Readonly<Record<string, StoredValue>>,
  foreignGroupIds: readonly number[] = [],
): UpdateItem {
  return { objectId, base, columns: Object.keys(values), values: Object.values(values), foreignGroupIds };
}

export function itemsOf(outcome: WriteOutcome): readonly WrittenItem[] {
  if (outcome.kind !== 'done') throw new Error(`The outcome is ${JSON.stringify(outcome)}.`);
  return outcome.items;
}

export function failuresOf(outcome: WriteOutcome): readonly (ItemFailure | null)[] {
  if (outcome.kind !== 'failed') throw new Error(`The outcome is ${JSON.stringify(outcome)}.`);
  return outcome.failures;
}

let lastStatement = 1_000_000_000;

/** A statement as from the compiler, made from handwritten SQL. */
export function statementOf(sql: string, outputs: readonly Output[] = []): Statement {
  return { id: ++lastStatement, sql, outputs, bind: () => [] };
}

export function bound(statement: Statement, values: readonly BoundValue[] = []) {
  return { statement, values };
}
