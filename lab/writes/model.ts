/**
 * The effects of batches on several tables and of puts, as a few plain rules on Maps (docs/reference/writing.md): the
 * oracle for the service, independent of any engine. Times are the service's; the model only stores them.
 */

export interface ModelTable {
  readonly name: string;
  readonly lockFree: boolean;
  readonly columns: readonly string[];
  readonly required: readonly string[];
  readonly defaults: Readonly<Record<string, string>>;
  readonly unique: readonly (readonly string[])[];
}

export type Value = string | null;

export interface Writer {
  readonly userId: number;
  readonly groupIds: readonly number[];
}

export interface Item {
  readonly objectId?: string;
  readonly serverUpdateTime?: string;
  readonly scopeType?: string;
  readonly groupIds?: readonly number[];
  readonly [column: string]: unknown;
}

export interface Operation {
  readonly op: 'add' | 'update' | 'delete' | 'put';
  readonly objectName: string;
  readonly by?: readonly string[];
  readonly data: readonly Item[];
}

export interface ModelRecord {
  /** Null until the service has returned it. */
  objectId: string | null;
  readonly values: Readonly<Record<string, Value>>;
  readonly scope: number;
  readonly groupIds: readonly number[];
  readonly owner: number;
  created: string;
  updated: string;
}

/** The effect of an item: the record before and after it. */
export interface Effect {
  readonly op: Operation['op'];
  readonly before: ModelRecord | null;
  readonly after: ModelRecord | null;
}

export interface Refusal {
  readonly code: 130 | 131;
  readonly status: 400 | 404 | 409;
}

export type Expected =
  | { readonly kind: 'done'; readonly effects: readonly Effect[] }
  /** One entry per item, null for one that does not fail itself. */
  | { readonly kind: 'refused'; readonly refusals: readonly (Refusal | 'either' | null)[] };

const invalid: Refusal = { code: 131, status: 400 };
const noRecord: Refusal = { code: 130, status: 404 };
const changed: Refusal = { code: 130, status: 409 };

type State = Map<string, readonly ModelRecord[]>;

export class Model {
  readonly #tables: ReadonlyMap<string, ModelTable>;
  #state: State;

  constructor(tables: readonly ModelTable[]) {
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#state = new Map(tables.map(({ name }) => [name, []]));
  }

  records(table: string): readonly ModelRecord[] {
    return this.#state.get(table) ?? [];
  }

  seenBy(writer: Writer, table: string): readonly ModelRecord[] {
    return this.records(table).filter((record) => sees(writer, record));
  }

  /** Executes the batch if it is valid. */
  apply(writer: Writer, operations: readonly Operation[]): Expected {
    const malformed = this.#malformed(writer, operations);
    if (malformed.some((refusal) => refusal !== null)) return { kind: 'refused', refusals: malformed };
    const state: State = new Map(this.#state);
    const named = new Set(
      operations.flatMap(({ objectName, by, data }) =>
        by ? [] : data.map(({ objectId }) => `${objectName} ${objectId}`),
      ),
    );
    const effects: Effect[] = [];
    for (const [position, operation] of operations.entries()) {
      const refusals = this.#carryOut(writer, operation, state, named, effects);
      if (refusals.every((refusal) => refusal === null)) continue;
      const none = (other: Operation) => other.data.map(() => null);
      return { kind: 'refused', refusals: operations.flatMap((o, index) => (index === position ? refusals : none(o))) };
    }
    this.#state = state;
    return { kind: 'done', effects };
  }

  /**
   * Faults that do not depend on stored data. If a record is named twice, the second item fails; if the first one is
   * itself invalid, the service may or may not have read its name.
   */
  #malformed(writer: Writer, operations: readonly Operation[]): (Refusal | 'either' | null)[] {
    const soundByName = new Map<string, boolean>();
    return operations.flatMap((operation) => {
      const { objectName, by, data } = operation;
      return data.map((item) => {
        const isWrong = this.#isWrong(writer, operation, item);
        const name = by ? by.toSorted().map((column) => item[column]) : item.objectId;
        if (name === undefined) return isWrong ? invalid : null;
        const key = `${objectName} ${by?.toSorted() ?? ''} ${JSON.stringify(name)}`;
        const isFirstSound = soundByName.get(key);
        soundByName.set(key, isFirstSound === true || !isWrong);
        if (isWrong || isFirstSound === true) return invalid;
        return isFirstSound === false ? 'either' : null;
      });
    });
  }

  #isWrong(writer: Writer, { op, objectName, by }: Operation, item: Item): boolean {
    const { required } = this.#tables.get(objectName) as ModelTable;
    const isNamed = by === undefined ? item.objectId !== undefined : item.objectId === undefined;
    if (!isNamed && op !== 'add') return true;
    if (by?.some((column) => (item[column] ?? null) === null)) return true;
    if ((op === 'update' || op === 'delete') && item.serverUpdateTime === undefined) return true;
    if (op !== 'delete' && required.some((column) => item[column] === null)) return true;
    return op === 'add' && !this.#canBeAdded(writer, objectName, item);
  }

  #canBeAdded({ groupIds }: Writer, table: string, item: Item): boolean {
    const { required } = this.#tables.get(table) as ModelTable;
    const hasAll = required.every((column) => (item[column] ?? null) !== null);
    return hasAll && (item.groupIds ?? []).every((id) => groupIds.includes(id));
  }

  /** Every item is checked before the first one is written. */
  #carryOut(
    writer: Writer,
    operation: Operation,
    state: State,
    named: Set<string>,
    effects: Effect[],
  ): (Refusal | null)[] {
    const { op, objectName, data } = operation;
    const present = state.get(objectName) as readonly ModelRecord[];
    const judged = data.map((item) => this.#judge(writer, operation, item, present, named));
    const refusals = judged.map((one) => ('code' in one ? one : null));
    if (refusals.some((refusal) => refusal !== null)) return refusals;
    return data.map((item, index) => {
      const { before } = judged[index] as { before: ModelRecord | null };
      const after = op === 'delete' ? null : written(writer, this.#tables.get(objectName) as ModelTable, item, before);
      const others = (state.get(objectName) as readonly ModelRecord[]).filter((record) => record !== before);
      if (after !== null && this.#isTaken(objectName, after, others)) return invalid;
      state.set(objectName, after === null ? others : [...others, after]);
      effects.push({ op, before, after });
      return null;
    });
  }

  #judge(
    writer: Writer,
    { op, objectName, by }: Operation,
    item: Item,
    present: readonly ModelRecord[],
    named: Set<string>,
  ): Refusal | { readonly before: ModelRecord | null } {
    const { lockFree } = this.#tables.get(objectName) as ModelTable;
    const found =
      present.find((record) => {
        return by ? by.every((column) => record.values[column] === item[column]) : record.objectId === item.objectId;
      }) ?? null;
    if (op === 'add') return found !== null && item.objectId !== undefined ? invalid : { before: null };
    if (op === 'put') {
      if (found === null && item.serverUpdateTime !== undefined) return noRecord;
      if (found === null) return this.#canBeAdded(writer, objectName, item) ? { before: null } : invalid;
      const name = `${objectName} ${found.objectId}`;
      if (by && (found.objectId === null || named.has(name))) return invalid;
      if (by) named.add(name);
      if (!sees(writer, found)) return invalid;
      if (item.serverUpdateTime === undefined && !lockFree) return changed;
    } else if (found === null || !sees(writer, found)) return noRecord;
    if (item.serverUpdateTime !== undefined && item.serverUpdateTime !== found.updated) return changed;
    const isForeign = (id: number) => !writer.groupIds.includes(id) && !found.groupIds.includes(id);
    return op !== 'delete' && item.groupIds?.some(isForeign) ? invalid : { before: found };
  }

  #isTaken(table: string, { objectId, values }: ModelRecord, others: readonly ModelRecord[]): boolean {
    const { unique } = this.#tables.get(table) as ModelTable;
    if (objectId !== null && others.some((record) => record.objectId === objectId)) return true;
    return unique.some((columns) => {
      if (columns.some((column) => values[column] === null)) return false;
      return others.some((record) => columns.every((column) => record.values[column] === values[column]));
    });
  }
}

function sees({ userId, groupIds }: Writer, record: ModelRecord): boolean {
  if (record.scope === 1) return record.owner === userId;
  return record.scope === 3 || record.groupIds.some((id) => groupIds.includes(id));
}

function written(writer: Writer, table: ModelTable, item: Item, before: ModelRecord | null): ModelRecord {
  const { columns, defaults } = table;
  const present = before?.values ?? defaults;
  const sent = (column: string) => (item[column] === undefined ? (present[column] ?? null) : item[column]);
  const scope = Number(item.scopeType ?? before?.scope ?? 2);
  const groupIds = item.groupIds ?? before?.groupIds ?? [];
  return {
    objectId: before?.objectId ?? item.objectId ?? null,
    values: Object.fromEntries(columns.map((column) => [column, sent(column) as Value])),
    scope,
    groupIds: scope === 2 && groupIds.length === 0 ? writer.groupIds : groupIds,
    owner: before?.owner ?? writer.userId,
    created: before?.created ?? '',
    updated: '',
  };
}
