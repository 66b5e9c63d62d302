/**
 * Judges a trace: before the answer that acknowledges a transaction was written to its socket, the data space's log
 * contained the transaction's id in a complete commit, and a sync of the log began after that commit was written, and
 * ended. The id is only in the history row and its index (see `markOf`). Uses only the trace, not what the clients saw.
 */
import type { TraceEvent } from './events.ts';

export interface Acknowledged {
  readonly transactionId: string;
  /** Line of the trace at which writing the answer began. */
  readonly at: number;
}

export interface Judged {
  readonly acknowledged: readonly Acknowledged[];
  readonly violations: readonly string[];
}

/** The form of the load's ids; all have one length, so that none is a prefix of another. */
export const idPattern = /prove-sync-\d{8}/;

const walHeaderBytes = 32;
const frameHeaderBytes = 24;
const pageBytes = 4_096;

interface Commit {
  /** Line at which the last byte of the commit's last frame was written. */
  readonly written: number;
  synced: { readonly began: number; readonly ended: number } | null;
}

/** The log of one data space: which transactions its commits hold. */
class Wal {
  readonly #path: string;
  readonly #commits: Map<string, Commit>;
  #open: string[] = [];
  #isLast = false;
  #unsynced: Commit[] = [];

  constructor(path: string, commits: Map<string, Commit>) {
    this.#path = path;
    this.#commits = commits;
  }

  /** SQLite writes the header of a frame, then its page. @throws Error for any other bytes */
  write(offset: number, bytes: Buffer, ended: number): void {
    if (offset === 0 && bytes.length === walHeaderBytes) return;
    const place = (offset - walHeaderBytes) % (frameHeaderBytes + pageBytes);
    if (place === 0 && bytes.length === frameHeaderBytes) {
      // Only the last frame of a commit has the database's size after the commit.
      this.#isLast = bytes.readUInt32BE(4) !== 0;
    } else if (place === frameHeaderBytes && bytes.length === pageBytes) {
      this.#page(bytes, ended);
    } else {
      throw new Error(`Line ${ended} of the trace: ${bytes.length} bytes at ${offset} of ${this.#path} are no frame.`);
    }
  }

  #page(page: Buffer, ended: number): void {
    const text = page.toString('latin1');
    for (const [id] of text.matchAll(new RegExp(idPattern, 'g'))) if (!this.#commits.has(id)) this.#open.push(id);
    if (!this.#isLast) return;
    const commit: Commit = { written: ended, synced: null };
    for (const id of this.#open) this.#commits.set(id, commit);
    this.#open = [];
    this.#unsynced.push(commit);
  }

  sync(began: number, ended: number): void {
    for (const commit of this.#unsynced) if (commit.written < began) commit.synced = { began, ended };
    this.#unsynced = this.#unsynced.filter(({ synced }) => synced === null);
  }
}

/** @param events in the order of their ends */
export function judgeAcknowledgements(events: Iterable<TraceEvent>): Judged {
  const logs = new Map<string, Wal>();
  const commits = new Map<string, Commit>();
  const received = new Map<string, Buffer[]>();
  const answers: Acknowledged[] = [];
  for (const event of events) {
    if (event.kind === 'received') {
      const parts = received.get(event.socket) ?? [];
      received.set(event.socket, [...parts, event.bytes]);
    } else if (event.kind === 'sent') {
      const request = Buffer.concat(received.get(event.socket) ?? []).toString('latin1');
      received.delete(event.socket);
      const transactionId = acknowledgedBy(request, event.bytes.toString('latin1'));
      if (transactionId !== null) answers.push({ transactionId, at: event.began });
    } else if (event.path.endsWith('.db-wal')) {
      const wal = logs.get(event.path) ?? new Wal(event.path, commits);
      logs.set(event.path, wal);
      if (event.kind === 'sync') wal.sync(event.began, event.ended);
      else if (event.kind === 'change' && event.change.kind === 'write') {
        wal.write(event.change.offset, event.change.bytes, event.ended);
      }
    }
  }
  return { acknowledged: answers, violations: answers.flatMap((answer) => violationOf(answer, commits)) };
}

/** Each connection has one request under way, so an answer belongs to the last request. */
function acknowledgedBy(request: string, answer: string): string | null {
  if (!answer.startsWith('HTTP/1.1 200 ') || !answer.includes('"errCode":0')) return null;
  return idPattern.exec(request)?.[0] ?? null;
}

function violationOf({ transactionId, at }: Acknowledged, commits: ReadonlyMap<string, Commit>): string[] {
  const commit = commits.get(transactionId);
  const answer = `${transactionId} was acknowledged at line ${at}`;
  if (commit === undefined || commit.written >= at) return [`${answer}, before its commit was written.`];
  if (commit.synced === null) return [`${answer}; its commit, written at line ${commit.written}, was never synced.`];
  const { began, ended } = commit.synced;
  return ended < at ? [] : [`${answer}; the sync of its commit, begun at line ${began}, ended at line ${ended} only.`];
}
