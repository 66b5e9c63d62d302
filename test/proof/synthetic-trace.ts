/**
 * A trace without strace: writes a real SQLite file in WAL mode like the service, and records the changes of its files
 * in strace's format, with the requests and answers of clients. Small enough to be edited line by line.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tableName } from '../../lab/prove/service.ts';
import { EventReader, type TraceEvent } from '../../lab/prove/sync/events.ts';
import { markOf, type Transaction } from '../../lab/prove/sync/load.ts';
import type { Recording } from '../../lab/prove/sync/prove.ts';

/** The meaning of a line, so that a test finds the one to edit. */
export interface Line {
  readonly what: 'make' | 'write' | 'sync' | 'folder sync' | 'request' | 'answer';
  readonly text: string;
}

export interface Synthetic {
  readonly lines: readonly Line[];
  /** Makes a recording from these lines, or from edited ones. */
  recordingOf(lines: readonly Pick<Line, 'text'>[]): Recording;
}

const spaceId = 1;
const frameBytes = 24 + 4_096;

/** @param remembers false for a service that writes only the records and no history */
export function syntheticTrace(folder: string, count: number, remembers = true): Synthetic {
  const path = join(folder, 'spaces', '0000000001.db');
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = 4096; CREATE TABLE _history (id INTEGER PRIMARY KEY, transaction_id TEXT NOT NULL UNIQUE);
    CREATE TABLE "${tableName}" (objectId TEXT PRIMARY KEY, mark TEXT, count INTEGER)`);
  const lines: Line[] = [
    ...made(path, readFileSync(path)),
    sync(path),
    { what: 'folder sync', text: call(`fsync(${descriptor(dirname(path))})`, 0) },
  ];
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  lines.push(write(path, 0, readFileSync(path)), sync(path));
  const transactions: Transaction[] = [];
  let known = 0;
  for (let number = 0; number < count; number++) {
    const transaction = transactionOf(number);
    transactions.push(transaction);
    lines.push({
      what: 'request',
      text: call(`read(${socket}, ${quoted(`POST /\r\n\r\n${transaction.id}`)}, 65536)`, 99),
    });
    carryOut(db, transaction, remembers);
    const wal = readFileSync(`${path}-wal`);
    if (known === 0) lines.push(...made(`${path}-wal`, wal.subarray(0, 32)));
    for (let at = Math.max(known, 32); at < wal.length; at += frameBytes) {
      lines.push(write(`${path}-wal`, at, wal.subarray(at, at + 24)));
      lines.push(write(`${path}-wal`, at + 24, wal.subarray(at + 24, at + frameBytes)));
    }
    lines.push(sync(`${path}-wal`));
    if (known === 0) lines.push({ what: 'folder sync', text: call(`fsync(${descriptor(dirname(path))})`, 0) });
    known = wal.length;
    const answer = quoted('HTTP/1.1 200 OK\r\n\r\n{"errCode":0}');
    lines.push({ what: 'answer', text: call(`write(${socket}, ${answer}, 99)`, 99) });
  }
  db.close();
  const recordingOf = (edited: readonly Pick<Line, 'text'>[]): Recording => {
    const reader = new EventReader(folder);
    const events: TraceEvent[] = [];
    for (const { text } of edited) {
      const event = reader.read(text);
      if (event !== null) events.push(event);
    }
    return { events, transactions, spaces: [{ spaceId, path }] };
  };
  return { lines, recordingOf };
}

function transactionOf(number: number): Transaction {
  const id = `prove-sync-${String(number).padStart(8, '0')}`;
  return { id, client: 'client', spaceId, items: [{ objectId: `record-${number}`, count: 0 }] };
}

function carryOut(db: DatabaseSync, { id, items }: Transaction, remembers: boolean): void {
  db.exec('BEGIN');
  for (const { objectId, count } of items) {
    db.prepare(`INSERT INTO "${tableName}" VALUES (?, ?, ?)`).run(objectId, markOf(id), count);
  }
  if (remembers) db.prepare('INSERT INTO _history (transaction_id) VALUES (?)').run(id);
  db.exec('COMMIT');
}

const socket = `9<${escaped('socket:[1]')}>`;

function made(path: string, content: Buffer): Line[] {
  return [
    { what: 'make', text: call(`openat(AT_FDCWD<${escaped('/')}>, ${quoted(path)}, O_RDWR|O_CREAT, 0644)`, 7) },
    write(path, 0, content),
  ];
}

function write(path: string, offset: number, bytes: Buffer): Line {
  const text = `pwrite64(${descriptor(path)}, ${quoted(bytes)}, ${bytes.length}, ${offset})`;
  return { what: 'write', text: call(text, bytes.length) };
}

function sync(path: string): Line {
  return { what: 'sync', text: call(`fdatasync(${descriptor(path)})`, 0) };
}

function call(text: string, result: number): string {
  return `100 1795228060.000001 ${text} = ${result}`;
}

function descriptor(path: string): string {
  return `7<${escaped(path)}>`;
}

function quoted(content: string | Buffer): string {
  return `"${escaped(content)}"`;
}

function escaped(content: string | Buffer): string {
  return Buffer.from(content as string)
    .toString('hex')
    .replaceAll(/../g, '\\x$&');
}
