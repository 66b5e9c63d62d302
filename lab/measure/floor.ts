/**
 * The floor: a bare `node:http` server that runs the same SQL as the service, with nothing around it: no caller, no
 * checks, no compiling, one thread. Writes that wait share one commit, as they do in the service, synced before the
 * answer. It opens a copy of the files that the service made.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { defaults } from '../../src/config.ts';
import { check } from '../../src/query/check.ts';
import { compileCount, compileRecord, compileRows } from '../../src/query/compile.ts';
import { type ExpressionForm, readExpressionForm } from '../../src/query/expression-form.ts';
import type { Output, Statement } from '../../src/query/statement.ts';
import { zoneOf } from '../../src/schema/time.ts';
import { readDefinition } from '../../src/storage/sqlite/catalogue.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { carryOut } from '../machine/child.ts';
import { categoryCount, countForm, pageForm, type Record, tableName } from './workload.ts';

/** Nothing is called for a row. */
const bareDialect = { ...sqliteDialect, withinDeadline: () => null };
const members = ['u1', 'g1', 'g2', 'a'];
const boundMembers = JSON.stringify(members);
const columns = [
  'objectId CreateTime UpdateTime serverCreateTime serverUpdateTime serverRecordStatus scopeType groupIds createUserId',
  'sku title note category quantity views price weight active soldAt city country',
].flatMap((names) => names.split(' '));

const insertSql = `INSERT INTO "${tableName}" (${[...columns, '_audience', '_seq'].map((name) => `"${name}"`).join(', ')})
  VALUES (${[...columns, 0, 0].map((_, index) => `?${index + 1}`).join(', ')})`;
const findSql = `SELECT rowid, "serverCreateTime", "serverUpdateTime", "_audience" FROM "${tableName}"
  WHERE "objectId" = ?1 AND ${sqliteDialect.visible('"_audience"', '?2', false)}`;
const updateSql = `UPDATE "${tableName}" SET "quantity" = ?1, "serverUpdateTime" = ?2, "_audience" = ?3, "_seq" = ?4 WHERE rowid = ?5`;

/** A statement of the service's, and the values of each request that the load sends. */
interface Prepared {
  readonly statement: StatementSync;
  readonly outputs: readonly Output[];
  readonly values: readonly SQLInputValue[][];
}

interface File {
  readonly db: DatabaseSync;
  readonly record: StatementSync;
  readonly page: Prepared;
  readonly count: Prepared;
  readonly insert: StatementSync;
  readonly find: StatementSync;
  readonly update: StatementSync;
  readonly known: StatementSync;
  readonly remember: StatementSync;
  readonly seq: StatementSync;
  waiting: { write(): string; response: ServerResponse }[];
}

interface Body {
  readonly transactionId: string;
  readonly data: readonly Record[];
}

const folder = process.argv[2] as string;
/** Open at once: few enough for the usual limit on open files, of which each takes three. */
const filesMax = 2_000;
/** Among so many files the memory for pages is divided, which is as much as the service has. */
const spacesShare = Number(process.argv[3]);
const files = new Map<string, File>();
let nextId = 0;

const server = createServer((request, response) => {
  const [, kind, space, id] = (request.url as string).split('/') as [string, string, string, string];
  switch (kind) {
    case 'get':
      return later(response, () => recordOf(fileOf(space), id));
    case 'page':
      return later(response, () => pageOf(fileOf(space).page, Number(id)));
    case 'count':
      return later(response, () => countOf(fileOf(space).count, Number(id)));
    default:
      readBody(request, (text) => {
        // Since the head came, the file may have been closed for another one.
        const file = fileOf(space);
        const body: Body = JSON.parse(text);
        const write = kind === 'add' ? () => add(file, body) : () => update(file, body);
        file.waiting.push({ write, response });
        if (file.waiting.length === 1) setImmediate(() => commit(file));
      });
  }
});
carryOut({
  async listen() {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  },
  memory: () => process.memoryUsage().rss,
});

/** What one turn of the event loop asks for is read together, then answered together. */
let asked: { read(): string; response: ServerResponse }[] = [];

function later(response: ServerResponse, read: () => string): void {
  if (asked.push({ read, response }) === 1) setImmediate(readAsked);
}

function readAsked(): void {
  const own = asked;
  asked = [];
  const bodies = own.map(({ read }) => read());
  for (const [index, { response }] of own.entries()) answer(response, bodies[index] as string);
}

function countOf({ statement, values }: Prepared, number: number): string {
  const [count] = statement.get(...(values[number] as SQLInputValue[])) as unknown as [number];
  return JSON.stringify({ errCode: 0, status: 'OK', description: null, count });
}

function fileOf(space: string): File {
  let file = files.get(space);
  if (file === undefined) {
    if (files.size >= filesMax) closeOldest();
    file = openFile(join(folder, 'spaces', space));
    files.set(space, file);
  }
  return file;
}

function closeOldest(): void {
  for (const [space, { db, waiting }] of files) {
    if (waiting.length > 0) continue;
    db.close();
    files.delete(space);
    return;
  }
}

interface Compiled {
  readonly sql: string;
  readonly outputs: readonly Output[];
  readonly values: readonly SQLInputValue[][];
}

/** The same for every data space, as all have the same definition. */
let compiled: { readonly record: string; readonly page: Compiled; readonly count: Compiled } | null = null;

function compileAll(db: DatabaseSync, path: string): NonNullable<typeof compiled> {
  const definition = readDefinition(db);
  const rules = { ...defaults, zone: zoneOf('UTC') };
  const table = definition.tables.get(tableName);
  if (table === undefined) throw new Error(`${path} has no table ${tableName}.`);
  const compile = (by: typeof compileRows | typeof compileCount, formOf: (n: number) => object): Compiled => {
    const read = (number: number) => readExpressionForm(formOf(number) as ExpressionForm, defaults);
    const statement: Statement = by(check(read(0).query, definition, defaults), bareDialect, rules);
    const values = Array.from({ length: categoryCount }, (_, number) =>
      statement.bind({ parameters: read(number).parameters, members, offset: 0, limit: 20 }),
    );
    return { sql: statement.sql, outputs: statement.outputs, values };
  };
  const record = compileRecord(table, bareDialect).sql;
  return { record, page: compile(compileRows, pageForm), count: compile(compileCount, countForm) };
}

function openFile(path: string): File {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
    PRAGMA cache_size = -${Math.floor(defaults.pageCacheBytes / 1_024 / spacesShare)};
    PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456`);
  compiled ??= compileAll(db, path);
  const { record, page, count } = compiled;
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    db,
    record: prepare(record),
    page: { ...page, statement: prepare(page.sql) },
    count: { ...count, statement: prepare(count.sql) },
    insert: prepare(insertSql),
    find: prepare(findSql),
    update: prepare(updateSql),
    known: prepare('SELECT request_hash, answer FROM _history WHERE transaction_id = ?1'),
    remember: prepare('INSERT INTO _history (transaction_id, request_hash, answer, time) VALUES (?1, ?2, ?3, ?4)'),
    seq: prepare('UPDATE _space SET commit_seq = commit_seq + ?1'),
    waiting: [],
  };
}

type Row = readonly (string | number | null)[];

function recordOf(file: File, id: string): string {
  const row = file.record.get(id, boundMembers) as unknown as Row;
  return JSON.stringify({ [tableName]: [objectOf(columns, row, 0)] });
}

function pageOf({ statement, outputs, values }: Prepared, number: number): string {
  const names = outputs.map((output) => output.columns.map(({ name }) => name));
  const arrays: globalThis.Record<string, object[]> = {};
  for (const { key } of outputs) arrays[key] = [];
  for (const row of statement.iterate(...(values[number] as SQLInputValue[])) as unknown as Iterable<Row>) {
    let from = 0;
    for (const [index, { key }] of outputs.entries()) {
      const own = names[index] as string[];
      arrays[key]?.push(objectOf(own, row, from));
      from += own.length;
    }
  }
  return JSON.stringify(arrays);
}

function objectOf(names: readonly string[], row: Row, from: number): object {
  const record: globalThis.Record<string, string | null> = {};
  for (let index = 0; index < names.length; index++) {
    const value = row[from + index] ?? null;
    record[names[index] as string] = value === null ? null : String(value);
  }
  return record;
}

function commit(file: File): void {
  const { waiting } = file;
  file.waiting = [];
  file.db.exec('BEGIN IMMEDIATE');
  const answers = waiting.map(({ write }) => write());
  file.seq.run(waiting.length);
  file.db.exec('COMMIT');
  for (const [index, { response }] of waiting.entries()) answer(response, answers[index] as string);
}

function add(file: File, body: Body): string {
  const now = refuseKnown(file, body);
  const written = body.data.map((record): Written => {
    const id = `${tableName}_${(nextId++).toString(16).padStart(12, '0')}${now.toString(16).padStart(20, '0')}`;
    file.insert.run(...rowOf(id, now, record));
    return [id, now, now];
  });
  return finish(file, body, now, written);
}

function update(file: File, body: Body): string {
  const now = refuseKnown(file, body);
  const written = body.data.map((record): Written => {
    const id = record.objectId as string;
    const found = file.find.get(id, boundMembers) as unknown as [number, number, number, string] | undefined;
    if (found === undefined || found[2] !== Date.parse(record.serverUpdateTime as string)) {
      throw new Error(`The load sent an update that can't be carried out: ${JSON.stringify(record)}`);
    }
    const [rowid, created, updated, audience] = found;
    const time = Math.max(now, updated + 1);
    file.update.run(Number(record.quantity), time, audience, 1, rowid);
    return [id, created, time];
  });
  return finish(file, body, now, written);
}

type Written = [id: string, created: number, updated: number];

function refuseKnown(file: File, body: Body): number {
  if (file.known.get(body.transactionId) !== undefined) throw new Error('A transaction id came twice.');
  return Date.now();
}

function finish(file: File, body: Body, now: number, written: readonly Written[]): string {
  file.remember.run(body.transactionId, 'f'.repeat(64), JSON.stringify(written), now);
  const results = written.map(([objectId, created, updated]) => ({
    objectId,
    serverCreateTime: new Date(created).toISOString(),
    serverUpdateTime: new Date(updated).toISOString(),
  }));
  return JSON.stringify({ errCode: 0, status: 'OK', description: null, results });
}

function rowOf(id: string, now: number, record: Record): SQLInputValue[] {
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
