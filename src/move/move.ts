/**
 * Moves an installation, or the part of it that belongs to some companies, an application or a version, between
 * storages of either engine. It may be interrupted at any moment: the same move continues where the target ends.
 */
import type {
  MoveMark,
  Store,
  TransferReader,
  TransferRow,
  TransferSource,
  TransferTarget,
} from '../storage/transfer.ts';
import {
  directoryTables,
  filterOf,
  logTable,
  recordsTable,
  type Selection,
  spaceTables,
  type TransferTable,
} from '../storage/transfer-tables.ts';
import { describeSelection, selectedSpaces } from './selection.ts';
import { type Compared, type KeyIds, keyIdsIn, verify } from './verify.ts';

export type Step = 'moving' | 'indexing' | 'comparing';

/** Reported after every batch. */
export interface Progress {
  readonly step: Step;
  readonly store: Store;
  readonly table: string;
  /** Finished rows of this table, and their total. */
  readonly rows: number;
  readonly of: number;
  /** Number of the data space, from 1; 0 for directory and logs. */
  readonly space: number;
  readonly spaces: number;
}

export interface MoveOptions {
  readonly source: TransferSource;
  readonly target: TransferTarget;
  readonly selection: Selection;
  readonly progress: (progress: Progress) => void;
}

export interface Moved {
  /** Every table, with the facts in which both storages agree. */
  readonly tables: readonly Compared[];
  /** Rows written by this run; fewer than the total when it continued an interrupted move. */
  readonly written: number;
  /** Whether it continued an interrupted move. */
  readonly resumed: boolean;
  /** Ids of the keys that secrets in the directory are sealed with. */
  readonly keyIds: KeyIds;
}

/**
 * @throws Error when nothing is selected, the target holds anything that does not belong to this move, or the two
 * storages differ in the end; the target then stays unchanged, and no service starts on it
 */
export async function move({ source, target, selection, progress }: MoveOptions): Promise<Moved> {
  const copied = await source.reading(async (reader) => {
    const spaceIds = await selectedSpaces(reader, selection);
    const resumed = await settleMark(target, { from: source.name, what: describeSelection(selection) });
    const copy: Copy = { reader, target, selection, progress, written: 0 };
    await copyDirectory(copy, spaceIds.length);
    for (const [index, spaceId] of spaceIds.entries()) {
      await copySpace(copy, spaceId, { space: index + 1, spaces: spaceIds.length });
    }
    return { resumed, written: copy.written };
  });
  // Read again, because the source shows its current state: any change meanwhile is found.
  const tables = await source.reading((ours) =>
    target.reading((theirs) => verify({ source: ours, target: theirs, selection, progress })),
  );
  const keyIds = await target.reading(keyIdsIn);
  await target.finish();
  return { tables, written: copied.written, resumed: copied.resumed, keyIds };
}

/** Writes the mark of this move. @returns whether an earlier attempt had written it */
async function settleMark(target: TransferTarget, mark: MoveMark): Promise<boolean> {
  const present = await target.mark();
  if (present === null) {
    await target.begin(mark);
    return false;
  }
  if (present.from !== mark.from || present.what !== mark.what) {
    throw new Error(
      `${target.name} holds an unfinished move of ${present.what} from ${present.from}. Finish that move, or name another target.`,
    );
  }
  return true;
}

interface Copy {
  readonly reader: TransferReader;
  readonly target: TransferTarget;
  readonly selection: Selection;
  readonly progress: (progress: Progress) => void;
  written: number;
}

type SpaceProgress = Pick<Progress, 'space' | 'spaces'>;

async function copyDirectory(copy: Copy, spaces: number): Promise<void> {
  const { reader, target } = copy;
  const spaceProgress = { space: 0, spaces };
  for (const [store, tables] of [
    ['directory', directoryTables],
    ['logs', [logTable]],
  ] as const) {
    await target.makeStore(store);
    for (const table of tables) await copyRows(copy, store, table, spaceProgress);
    await target.setSequences(store, await reader.sequences(store));
  }
}

async function copySpace(copy: Copy, spaceId: number, spaceProgress: SpaceProgress): Promise<void> {
  const { reader, target, progress } = copy;
  const state = await reader.space(spaceId);
  await target.makeStore(spaceId);
  for (const table of state.definition.catalogue.tables) {
    if (!(await target.makeTable(spaceId, table))) continue;
    const rows = await copyRows(copy, spaceId, recordsTable(table), spaceProgress);
    progress({ step: 'indexing', store: spaceId, table: table.name, rows: 0, of: rows, ...spaceProgress });
    await target.completeTable(spaceId, table);
  }
  for (const table of spaceTables) await copyRows(copy, spaceId, table, spaceProgress);
  await target.completeSpace(spaceId, state);
}

/** Copies the rows that the target lacks. @returns the number of rows of the table */
async function copyRows(copy: Copy, store: Store, table: TransferTable, spaceProgress: SpaceProgress): Promise<number> {
  const { reader, target, progress } = copy;
  const filter = typeof store === 'number' ? [] : filterOf(copy.selection, table);
  const of = await reader.count({ store, table, filter });
  const after = await target.lastKey(store, table);
  let rows = after === null ? 0 : of - (await reader.count({ store, table, filter, after }));
  const write = async (batch: readonly TransferRow[]) => {
    await target.write(store, table, batch);
    rows += batch.length;
    copy.written += batch.length;
    progress({ step: 'moving', store, table: table.name, rows, of, ...spaceProgress });
  };
  // Reads the next batch while one is written.
  let writing = Promise.resolve();
  for await (const batch of reader.rows({ store, table, filter, after })) {
    await writing;
    writing = write(batch);
    // Nobody awaits the next batch yet; its error surfaces in the next turn.
    writing.catch(() => {});
  }
  await writing;
  return rows;
}
