/**
 * The floor: a bare `node:http` server that runs the same SQL as the service, with nothing around it: no caller, no
 * checks, no definitions, one thread. Adds that wait share one commit, as they do in the service, synced before the
 * answer. It opens files that the service made, while the service is stopped or on a copy of its own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { tableName } from './workload.ts';

const members = JSON.stringify(['u1', 'g1', 'a']);
const columns = [
  'objectId CreateTime UpdateTime serverCreateTime serverUpdateTime serverRecordStatus scopeType groupIds createUserId',
  'sku title note category quantity views price weight active soldAt city country',
].flatMap((names) => names.split(' '));
/** 64-bit values leave SQLite as text. */
const asText: ReadonlySet<string> = new Set(['createUserId', 'views', 'price']);

const visible = `"_audience" IN (SELECT value FROM json_each(?2) UNION ALL
  SELECT audience FROM _audience_member WHERE member IN (SELECT value FROM json_each(?2)))`;
const selectSql = `SELECT ${columns.map((name) => (asText.has(name) ? `CAST("${name}" AS TEXT)` : `"${name}"`)).join(', ')}
  FROM "${tableName}" WHERE "objectId" = ?1 AND ${visible}`;
const insertSql = `INSERT INTO "${tableName}" (${[...columns, '_audience', '_seq'].map((name) => `"${name}"`).join(', ')})
  VALUES (${[...columns, 0, 0].map((_, index) => `?${index + 1}`).join(', ')})`;

interface File {
  readonly db: DatabaseSync;
  readonly select: StatementSync;
  readonly insert: StatementSync;
  readonly known: StatementSync;
  readonly remember: StatementSync;
  readonly seq: StatementSync;
  waiting: { body: AddBody; response: ServerResponse }[];
}

interface AddBody {
  readonly transactionId: string;
  readonly data: readonly Record<string, string | null>[];
}

const folder = process.argv[2] as string;
const files = new Map<string, File>();
let nextId = 0;

const server = createServer((request, response) => {
  const [, kind, space, id] = (request.url as string).split('/') as [string, string, string, string];
  const file = fileOf(space);
  if (kind === 'get') {
    const row = file.select.get(id, members) as unknown as (string | number | null)[];
    const record: Record<string, string | null> = {};
    for (let index = 0; index < columns.length; index++) {
      const value = row[index];
      record[columns[index] as string] = value === null ? null : String(value);
    }
    answer(response, JSON.stringify({ [tableName]: [record] }));
  } else readBody(request, (body) => add(file, JSON.parse(body), response));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message) => {
  if (message === 'stop') process.exit(0);
});

function fileOf(space: string): File {
  let file = files.get(space);
  if (file === undefined) {
    const db = new DatabaseSync(join(folder, 'spaces', space));
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16000',
    );
    file = {
      db,
      select: db.prepare(selectSql),
      insert: db.prepare(insertSql),
      known: db.prepare('SELECT request_hash, answer FROM _history WHERE transaction_id = ?1'),
      remember: db.prepare('INSERT INTO _history (transaction_id, request_hash, answer, time) VALUES (?1, ?2, ?3, ?4)'),
      seq: db.prepare('UPDATE _space SET commit_seq = commit_seq + ?1'),
      waiting: [],
    };
    file.select.setReturnArrays(true);
    files.set(space, file);
  }
  return file;
}

function add(file: File, body: AddBody, response: ServerResponse): void {
  file.waiting.push({ body, response });
  if (file.waiting.length === 1) setImmediate(() => commit(file));
}

function commit(file: File): void {
  const { waiting } = file;
  file.waiting = [];
  const answers: string[] = [];
  file.db.exec('BEGIN IMMEDIATE');
  for (const { body } of waiting) {
    if (file.known.get(body.transactionId) !== undefined) throw new Error('A transaction id came twice.');
    const now = Date.now();
    const written = body.data.map((record) => {
      const id = `${tableName}_${(nextId++).toString(16).padStart(12, '0')}${now.toString(16).padStart(20, '0')}`;
      file.insert.run(...rowOf(id, now, record));
      return [id, now, now];
    });
    file.remember.run(body.transactionId, 'f'.repeat(64), JSON.stringify(written), now);
    const time = new Date(now).toISOString();
    const results = written.map(([objectId]) => ({ objectId, serverCreateTime: time, serverUpdateTime: time }));
    answers.push(JSON.stringify({ errCode: 0, status: 'OK', description: null, results }));
  }
  file.seq.run(waiting.length);
  file.db.exec('COMMIT');
  for (const [index, { response }] of waiting.entries()) answer(response, answers[index] as string);
}

function rowOf(id: string, now: number, record: Record<string, string | null>) {
  const number = (name: string) => Number(record[name]);
  const { sku, title, note, category, city, country } = record;
  const price = BigInt((record.price as string).replace('.', ''));
  const own = [sku, title, note, category, number('quantity'), BigInt(record.views as string), price, number('weight')];
  const rest = [record.active === 'true' ? 1 : 0, Date.parse(record.soldAt as string), city, country, 'a', 1];
  return [id, null, null, now, now, 1, 3, null, 1, ...own, ...rest].map((value) => value ?? null);
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString()));
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
