/**
 * A disk that may lose what was not synced. A file's bytes are safe after a sync of the file, its name (or that the
 * name is gone) after a sync of its folder. Of the rest, a loss of power keeps nothing, or any part in whole sectors.
 */
import { dirname } from 'node:path';
import type { Random } from '../../machine/random.ts';
import type { FileChange, FileEvent } from './events.ts';

interface File {
  safe: Buffer;
  pending: FileChange[];
}

/** Which unsynced data are lost. */
export type Loss =
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly sectorBytes: number; readonly random: Random }
  | { readonly kind: 'none' };

export class Disk {
  readonly #names = new Map<string, File>();
  #safeNames: ReadonlyMap<string, File> = new Map();

  apply(event: FileEvent): void {
    if (event.kind === 'sync') this.#sync(event.path);
    else if (event.kind === 'unlink') this.#names.delete(event.path);
    else if (event.kind === 'change') this.#file(event.path).pending.push(event.change);
    else if (!this.#names.has(event.path)) this.#names.set(event.path, { safe: Buffer.alloc(0), pending: [] });
  }

  #file(path: string): File {
    const file = this.#names.get(path);
    if (file === undefined) throw new Error(`${path} is changed, and the trace does not tell that it was made.`);
    return file;
  }

  #sync(path: string): void {
    const file = this.#names.get(path);
    if (file !== undefined) {
      file.safe = withChanges(file.safe, file.pending);
      file.pending = [];
      return;
    }
    const elsewhere = [...this.#safeNames].filter(([name]) => dirname(name) !== path);
    this.#safeNames = new Map([...elsewhere, ...[...this.#names].filter(([name]) => dirname(name) === path)]);
  }

  /** The files after a loss of power at this moment, by path. @param isWanted selects the paths */
  after(loss: Loss, isWanted: (path: string) => boolean): Map<string, Buffer> {
    const left = new Map<string, Buffer>();
    for (const path of new Set([...this.#names.keys(), ...this.#safeNames.keys()])) {
      if (!isWanted(path)) continue;
      const isNew = loss.kind === 'none' || (loss.kind === 'some' && loss.random.chance(0.5));
      const file = (isNew ? this.#names : this.#safeNames).get(path);
      if (file !== undefined) left.set(path, contentAfter(file, loss));
    }
    return left;
  }
}

function contentAfter({ safe, pending }: File, loss: Loss): Buffer {
  if (loss.kind === 'all') return safe;
  if (loss.kind === 'none') return withChanges(safe, pending);
  const { random, sectorBytes } = loss;
  const share = random.fraction();
  const parts = pending.flatMap((change) => sectorsOf(change, sectorBytes));
  return withChanges(
    safe,
    parts.filter(() => random.chance(share)),
  );
}

function sectorsOf(change: FileChange, sectorBytes: number): FileChange[] {
  if (change.kind === 'truncate') return [change];
  const parts: FileChange[] = [];
  const { offset, bytes } = change;
  for (let from = offset; from < offset + bytes.length; ) {
    const to = Math.min(offset + bytes.length, (Math.floor(from / sectorBytes) + 1) * sectorBytes);
    parts.push({ kind: 'write', offset: from, bytes: bytes.subarray(from - offset, to - offset) });
    from = to;
  }
  return parts;
}

/** Does not change the given buffer, because cuts share it. */
function withChanges(content: Buffer, changes: readonly FileChange[]): Buffer {
  const ends = changes.map((change) => (change.kind === 'write' ? change.offset + change.bytes.length : change.length));
  const buffer = Buffer.alloc(ends.reduce((most, end) => Math.max(most, end), content.length));
  content.copy(buffer);
  let length = content.length;
  for (const change of changes) {
    if (change.kind === 'write') {
      change.bytes.copy(buffer, change.offset);
      length = Math.max(length, change.offset + change.bytes.length);
    } else {
      // Data beyond the end read as zeros when the file grows again.
      buffer.fill(0, Math.min(length, change.length));
      length = change.length;
    }
  }
  return buffer.subarray(0, length);
}
