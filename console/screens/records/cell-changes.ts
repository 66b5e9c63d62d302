/**
 * Sends typed cell values to the service. Each record is sent separately, with its lock, one change after the other,
 * while typing continues. Values that can't be saved stay until they are corrected or discarded.
 */
import { signal } from '@preact/signals';
import { Refusal } from '../../api.ts';
import { messageOf } from '../../components/form.ts';
import { tell } from '../../components/toasts.ts';
import { words } from '../../preferences.ts';
import { lockOf, type Row, recordOf, type VersionParams, Writer } from '../../records.ts';

/** Typed values by column: text, or null for no value. */
export type Typed = Readonly<Record<string, string | null>>;

/** A record with unsaved values. */
export interface ChangedRecord {
  /** The record when typing began. */
  readonly base: Row;
  readonly mine: Typed;
  /** Why it could not be saved; '' while it is being sent. */
  readonly fault: string;
  /** The record as someone else changed it meanwhile. */
  readonly theirs: Row | null;
  readonly writer: Writer;
}

type ById<Value> = ReadonlyMap<string, Value>;

export class CellChanges {
  readonly #params: VersionParams;
  readonly #table: string;
  readonly #changed = signal<ById<ChangedRecord>>(new Map());
  /** Records as saved here. */
  readonly #saved = signal<ById<Row>>(new Map());

  constructor(params: VersionParams, table: string) {
    this.#params = params;
    this.#table = table;
  }

  /** The row with its saved and unsaved values. */
  shown(row: Row): Row {
    const id = idOf(row);
    return { ...(this.#saved.value.get(id) ?? row), ...this.#changed.value.get(id)?.mine };
  }

  /** Why the value of a column could not be saved, '' while it is being sent, undefined where it is saved. */
  stateOf(row: Row, column: string): string | undefined {
    const changed = this.#changed.value.get(idOf(row));
    return changed !== undefined && column in changed.mine ? changed.fault : undefined;
  }

  /** The first record that someone else changed meanwhile. */
  get conflict(): ChangedRecord | undefined {
    return [...this.#changed.value.values()].find(({ theirs }) => theirs !== null);
  }

  /** Called for a newly requested page, which has the saved values. */
  forgetSaved(): void {
    this.#saved.value = new Map();
  }

  save(row: Row, column: string, text: string | null): void {
    const id = idOf(row);
    const before = this.#changed.peek().get(id);
    const base = before?.base ?? this.#saved.peek().get(id) ?? row;
    const writer = before?.writer ?? new Writer(this.#params);
    this.#put(id, { base, theirs: null, fault: '', mine: { ...before?.mine, [column]: text }, writer });
    if (before?.fault !== '') void this.#send(id);
  }

  /** Restores the service's value of a column that could not be saved. */
  giveUp(row: Row, column: string): void {
    const id = idOf(row);
    const changed = this.#changed.peek().get(id);
    if (changed === undefined || changed.fault === '') return;
    const { [column]: _, ...mine } = changed.mine;
    this.#put(id, { ...changed, mine });
  }

  /** Settles a conflict. */
  settle(changed: ChangedRecord, whose: 'mine' | 'theirs'): void {
    const { base, mine, theirs } = changed;
    const id = idOf(base);
    this.#keep(id, theirs as Row);
    this.#put(id, { ...changed, base: theirs as Row, mine: whose === 'mine' ? mine : {}, fault: '', theirs: null });
    if (whose === 'mine') void this.#send(id);
  }

  async #send(id: string): Promise<void> {
    for (let changed = this.#changed.peek().get(id); changed !== undefined; changed = this.#changed.peek().get(id)) {
      const { base, mine: sent, writer } = changed;
      try {
        const data = [{ ...lockOf(base), ...sent }];
        const [written] = await writer.write({ op: 'update', objectName: this.#table, data });
        // It is saved, even if it can't be read now as the service writes it.
        const found = await recordOf(this.#params, this.#table, id).catch(() => null);
        const now = found ?? { ...base, ...sent, serverUpdateTime: written?.serverUpdateTime };
        this.#keep(id, now);
        const { mine } = this.#changed.peek().get(id) as ChangedRecord;
        const rest = Object.entries(mine).filter(([name, text]) => sent[name] !== text);
        this.#put(id, { ...changed, base: now, mine: Object.fromEntries(rest) });
      } catch (error) {
        await this.#fail(id, error);
        return;
      }
    }
  }

  async #fail(id: string, error: unknown): Promise<void> {
    let theirs: Row | null = null;
    let fault = messageOf(error);
    if (error instanceof Refusal && error.code === 130) {
      try {
        theirs = await recordOf(this.#params, this.#table, id);
        if (theirs === null) fault = words().records.gone;
      } catch (unread) {
        fault = messageOf(unread);
      }
    }
    this.#put(id, { ...(this.#changed.peek().get(id) as ChangedRecord), fault, theirs });
    if (theirs === null) tell(fault, { tone: 'wrong' });
  }

  #keep(id: string, row: Row): void {
    this.#saved.value = new Map(this.#saved.peek()).set(id, row);
  }

  #put(id: string, changed: ChangedRecord): void {
    const all = new Map(this.#changed.peek());
    if (Object.keys(changed.mine).length === 0) all.delete(id);
    else all.set(id, changed);
    this.#changed.value = all;
  }
}

function idOf({ objectId }: Row): string {
  return String(objectId);
}
