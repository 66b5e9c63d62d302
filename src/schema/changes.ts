/** Changes of tables as clients send them (docs/reference/changing-tables.md): `changes` of `POST {prefix}/schemas/changes`. */
import { malformed, missing, quoted } from '../errors.ts';
import { didYouMeanOneOf } from '../nearest.ts';
import { readType, type TypeMembers } from './column-type.ts';
import {
  type DefinitionLimits,
  parseColumn,
  parseIndex,
  parseTable,
  type RequestedColumn,
  type RequestedTable,
} from './definition.ts';
import { flagOf, isAbsent, membersOf, nameOf, refuseUnknownMembers } from './members.ts';
import type { ColumnType, Index } from './model.ts';
import { systemColumnNamed } from './system.ts';

interface OfTable {
  /** The table's name at this position in the list of changes. */
  readonly table: string;
}

interface OfColumn extends OfTable {
  readonly column: string;
}

/** A change, valid in itself; `evolve.ts` applies it to a definition. */
export type RequestedChange =
  | { readonly op: 'addTable'; readonly requested: RequestedTable }
  | ({ readonly op: 'renameTable'; readonly to: string } & OfTable)
  | ({ readonly op: 'changeTable'; readonly lockFree: boolean } & OfTable)
  | ({ readonly op: 'dropTable' } & OfTable)
  | ({ readonly op: 'addColumn'; readonly added: RequestedColumn } & OfTable)
  | ({ readonly op: 'renameColumn'; readonly to: string } & OfColumn)
  | ({ readonly op: 'changeColumn' } & ColumnChange & OfColumn)
  | ({ readonly op: 'dropColumn' } & OfColumn)
  | ({ readonly op: 'addIndex' | 'dropIndex'; readonly index: Index } & OfTable)
  | {
      readonly op: 'restore';
      readonly id: number;
      readonly as: string | null;
      readonly withoutIndexes: boolean;
    }
  | { readonly op: 'purge'; readonly id: number };

export interface ColumnChange {
  /** Null where it stays. */
  readonly type: ColumnType | null;
  readonly required: boolean | null;
  /** As sent, and still to be checked against the type; null removes it, undefined keeps it. */
  readonly preset: unknown;
  /** The name of a table; null removes it, undefined keeps it. */
  readonly references: string | null | undefined;
  /** Null where it stays. */
  readonly fullText: boolean | null;
}

const typeMembers = ['type', 'fieldLength', 'precision', 'scale'];

/** The members of each operation besides `op`. */
const membersByOp: Readonly<Record<RequestedChange['op'], readonly string[]>> = {
  addTable: ['table', 'columns', 'indexes', 'lockFree'],
  renameTable: ['table', 'to'],
  changeTable: ['table', 'lockFree'],
  dropTable: ['table'],
  addColumn: ['table', 'column'],
  renameColumn: ['table', 'column', 'to'],
  changeColumn: ['table', 'column', ...typeMembers, 'required', 'default', 'references', 'fullText'],
  dropColumn: ['table', 'column'],
  addIndex: ['table', 'columns', 'unique'],
  dropIndex: ['table', 'columns', 'unique'],
  restore: ['id', 'as', 'withoutIndexes'],
  purge: ['id'],
};

const ops = Object.keys(membersByOp) as readonly RequestedChange['op'][];

/** @throws ServiceError `missing`, `malformed`, with the path of the member (`changes[2].column`) */
export function parseChanges(
  input: readonly unknown[],
  limits: DefinitionLimits & { readonly tableChangesMax: number },
): RequestedChange[] {
  if (input.length === 0) throw missing('changes', 'one change or more');
  if (input.length > limits.tableChangesMax) {
    throw malformed(
      'changes',
      `expected at most ${limits.tableChangesMax} (setting tableChangesMax), got ${input.length}.`,
    );
  }
  return input.map((item, index) => parseChange(item, `changes[${index}]`, limits));
}

function parseChange(input: unknown, path: string, limits: DefinitionLimits): RequestedChange {
  const members = membersOf(input, path, ['op', '…']);
  const op = opOf(members.op, `${path}.op`);
  refuseUnknownMembers(members, path, ['op', ...membersByOp[op]]);
  const table = () => nameOf(members.table, `${path}.table`);
  const column = () => userColumn(members.column, `${path}.column`);
  switch (op) {
    case 'addTable': {
      const { columns, indexes, lockFree } = members;
      return { op, requested: parseTable({ name: table(), columns, indexes, lockFree }, path, limits) };
    }
    case 'renameTable':
      return { op, table: table(), to: nameOf(members.to, `${path}.to`) };
    case 'changeTable':
      if (isAbsent(members.lockFree)) throw missing(`${path}.lockFree`);
      return { op, table: table(), lockFree: flagOf(members.lockFree, `${path}.lockFree`) };
    case 'dropTable':
      return { op, table: table() };
    case 'addColumn':
      return { op, table: table(), added: addedColumn(members.column, `${path}.column`, limits) };
    case 'renameColumn':
      return { op, table: table(), column: column(), to: userColumn(members.to, `${path}.to`) };
    case 'changeColumn':
      return { op, table: table(), column: column(), ...columnChange(members, path) };
    case 'dropColumn':
      return { op, table: table(), column: column() };
    case 'addIndex':
    case 'dropIndex': {
      const { columns, unique } = members;
      return { op, table: table(), index: parseIndex({ columns, unique }, path) };
    }
    case 'restore':
      return {
        op,
        id: idOf(members.id, `${path}.id`),
        as: isAbsent(members.as) ? null : nameOf(members.as, `${path}.as`),
        withoutIndexes: flagOf(members.withoutIndexes, `${path}.withoutIndexes`),
      };
    case 'purge':
      return { op, id: idOf(members.id, `${path}.id`) };
  }
}

function opOf(input: unknown, path: string): RequestedChange['op'] {
  if (isAbsent(input)) throw missing(path);
  const op = ops.find((each) => each === input);
  if (op !== undefined) return op;
  const meant = typeof input === 'string' ? didYouMeanOneOf(input, ops) : `; known are ${ops.join(', ')}.`;
  throw malformed(path, `there is no change ${quoted(input)}${meant}`);
}

/** The name of a column that is not a system column. */
function userColumn(input: unknown, path: string): string {
  const name = nameOf(input, path);
  const system = systemColumnNamed(name);
  if (system === undefined) return name;
  throw malformed(path, `expected a column of your own, got ${quoted(name)}, a system column of every table.`);
}

function addedColumn(input: unknown, path: string, limits: DefinitionLimits): RequestedColumn {
  const requested = parseColumn(input, path, limits);
  userColumn(requested.column.name, `${path}.colName`);
  return requested;
}

function columnChange(members: Readonly<Record<string, unknown>>, path: string): ColumnChange {
  const { references: referred } = members as { references?: unknown };
  const isTyped = typeMembers.some((name) => !isAbsent(members[name]));
  const change: ColumnChange = {
    type: isTyped ? readType(members as TypeMembers, path) : null,
    required: isAbsent(members.required) ? null : flagOf(members.required, `${path}.required`),
    preset: members.default,
    references: referred === undefined || referred === null ? referred : nameOf(referred, `${path}.references`),
    fullText: isAbsent(members.fullText) ? null : flagOf(members.fullText, `${path}.fullText`),
  };
  const { type, required, preset, references, fullText } = change;
  const changes = [type, required, fullText, preset ?? null, references ?? null];
  if (changes.some((each) => each !== null) || preset === null || references === null) return change;
  throw missing(`${path}.type`);
}

function idOf(input: unknown, path: string): number {
  if (isAbsent(input)) throw missing(path);
  const id = typeof input === 'string' && /^\d{1,15}$/.test(input) ? Number(input) : input;
  if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return id;
  throw malformed(path, `expected the number of an entry of the bin, got ${quoted(input)}.`);
}
