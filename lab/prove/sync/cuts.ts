/**
 * Replays the traced changes of the data spaces' files and cuts the power at every sync, just before it takes effect.
 * Unsynced data are lost completely, or partly, in sectors of 512 or 4 096 bytes.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seeded } from '../../machine/random.ts';
import type { Acknowledged } from './acknowledged.ts';
import { Disk, type Loss } from './disk.ts';
import type { FileEvent, TraceEvent } from './events.ts';
import type { Transaction } from './load.ts';
import { judgeStored } from './stored.ts';

export interface CutOptions {
  /** In the order of their ends. */
  readonly events: readonly TraceEvent[];
  readonly acknowledged: readonly Acknowledged[];
  readonly transactions: readonly Transaction[];
  /** The number of each data space and the path of its file. */
  readonly spaces: readonly { readonly spaceId: number; readonly path: string }[];
  /** Folder for the databases to open. */
  readonly scratch: string;
  readonly seed: number;
  readonly progress?: (done: number, of: number) => void;
}

export interface Cuts {
  readonly syncs: number;
  /** Databases that were opened and judged. */
  readonly opened: number;
  readonly violations: readonly string[];
}

const sectorSizes = [512, 4_096] as const;

export function cutAtEverySync(options: CutOptions): Cuts {
  const { events, spaces, acknowledged, transactions, scratch, seed, progress } = options;
  const syncs = options.events.filter(({ kind }) => kind === 'sync').length * spaces.length;
  const violations: string[] = [];
  let done = 0;
  let cuts = 0;
  let opened = 0;
  for (const { spaceId, path } of spaces) {
    const own = transactions.filter((transaction) => transaction.spaceId === spaceId);
    const ids = new Set(own.map(({ id }) => id));
    const answers = acknowledged.filter(({ transactionId }) => ids.has(transactionId));
    const concerns = (name: string) => name === path || name.startsWith(`${path}-`);
    const disk = new Disk();
    const cut = (loss: Loss, line: number, what: string) => {
      const must = new Set(answers.filter(({ at }) => at < line).map(({ transactionId }) => transactionId));
      const found = judgeStored(disk.after(loss, concerns), scratch, own, must);
      opened++;
      violations.push(...found.map((text) => `Power cut at line ${line}, ${what}, data space ${spaceId}: ${text}`));
    };
    for (const event of events.filter(isOfFile)) {
      const isOwn = concerns(event.path) || dirname(path) === event.path;
      if (event.kind === 'sync') progress?.(++done, syncs);
      if (!isOwn) continue;
      if (event.kind === 'sync') {
        cuts++;
        cut({ kind: 'all' }, event.ended, 'all unsynced lost');
        for (const sectorBytes of sectorSizes) {
          const random = seeded(seed, spaceId, event.ended, sectorBytes);
          cut({ kind: 'some', sectorBytes, random }, event.ended, `some unsynced ${sectorBytes}-byte sectors lost`);
        }
      }
      disk.apply(event);
    }
    cut({ kind: 'all' }, Infinity, 'all unsynced lost');
  }
  return { syncs: cuts, opened, violations };
}

/** Checks that the replayed files equal those of the traced process, so that the trace missed no write. */
export function judgeReplay(events: readonly TraceEvent[], spacePaths: readonly string[]): string[] {
  const disk = new Disk();
  for (const event of events.filter(isOfFile)) disk.apply(event);
  const left = disk.after({ kind: 'none' }, (path) => spacePaths.includes(path));
  return spacePaths.flatMap((path) => {
    const replayed = left.get(path);
    const isEqual = replayed?.equals(readFileSync(path)) === true;
    return isEqual ? [] : [`The trace missed something: replayed, it does not make ${path} as it is.`];
  });
}

/** Where `storage/sqlite` keeps a data space. */
export function spacePath(folder: string, spaceId: number): string {
  return join(folder, 'spaces', `${String(spaceId).padStart(10, '0')}.db`);
}

function isOfFile(event: TraceEvent): event is FileEvent {
  return event.kind !== 'received' && event.kind !== 'sent';
}
