/**
 * What both floors do with the file: the same requests as the service answers, for the one table of `tasks.ts`, by statements
 * prepared once, written by hand. No tenant, no token, no checks, no compiling, no time limit, no function called for a row.
 */
import { createHash, randomUUID } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { defaults } from '../../../src/config.ts';
import { formatInstant, zoneOf } from '../../../src/schema/time.ts';

type Row = readonly (string | number | null)[];

const columns = [
  'objectId CreateTime UpdateTime serverCreateTime serverUpdateTime serverRecordStatus scopeType groupIds createUserId',
  'title amount due',
].flatMap((names) => names.split(' '));
const times = new Set(['serverCreateTime', 'serverUpdateTime', 'due']);
const names = columns.map((name) => `"${name}"`).join(', ');
const visible = `"_audience" IN ('a', 'u1', 'g1')`;
const places = Array.from({ length: columns.length + 2 }, () => '?').join(', ');

export interface TaskFile {
  get(objectId: string): string;
  page(amount: number): string;
  count(amount: number): string;
  /** Bodies of adds, committed together. @returns the answers */
  add(bodies: readonly Buffer[]): string[];
}

/** @param share of the memory for pages that the service has in all, from 0 to 1 */
export function openTasks(path: string, share: number): TaskFile {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
    PRAGMA cache_size = -${Math.floor((defaults.pageCacheBytes * share) / 1_024)}; PRAGMA temp_store = MEMORY;
    PRAGMA mmap_size = 268435456`);
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const all = (statement: StatementSync, value: string | number) => statement.all(value) as unknown as Row[];
  const one = prepare(`SELECT ${names} FROM task WHERE "objectId" = ? AND ${visible}`);
  const page = prepare(
    `SELECT ${names} FROM task WHERE amount = ? AND ${visible} ORDER BY due DESC, "objectId" LIMIT 20`,
  );
  const count = prepare(`SELECT count(*) FROM task WHERE amount = ? AND ${visible}`);
  const insert = prepare(`INSERT INTO task (${names}, "_audience", "_seq") VALUES (${places})`);
  const known = prepare('SELECT answer FROM _history WHERE transaction_id = ?');
  const remember = prepare('INSERT INTO _history (transaction_id, request_hash, answer, time) VALUES (?, ?, ?, ?)');
  let seq = 1_000_000_000;

  function addOne(bytes: Buffer, now: number): string {
    const body = JSON.parse(bytes.toString());
    const [before] = all(known, body.transactionId);
    if (before !== undefined) return String(before[0]);
    const results = body.data.map((item: Record<string, string>) => {
      const id = `task_${randomUUID().replaceAll('-', '')}`;
      const values = [
        id,
        null,
        null,
        now,
        now,
        1,
        3,
        null,
        1,
        item.title,
        Number(item.amount),
        Date.parse(item.due ?? ''),
      ];
      insert.run(...(values as (string | number | null)[]), 'a', ++seq);
      return `{"objectId":"${id}","serverCreateTime":${timeText(now)},"serverUpdateTime":${timeText(now)}}`;
    });
    const answer = `{"errCode":0,"status":"OK","description":null,"results":[${results.join(',')}]}`;
    remember.run(body.transactionId, createHash('sha256').update(bytes).digest('hex'), answer, now);
    return answer;
  }

  return {
    get: (objectId) => `{"task":[${all(one, objectId).map(recordText).join(',')}]}`,
    page: (amount) => `{"t":[${all(page, amount).map(recordText).join(',')}]}`,
    count: (amount) => `{"errCode":0,"status":"OK","description":null,"count":${all(count, amount)[0]?.[0]}}`,
    add(bodies) {
      const now = Date.now();
      db.exec('BEGIN IMMEDIATE');
      const answers = bodies.map((bytes) => addOne(bytes, now));
      db.exec('COMMIT');
      return answers;
    },
  };
}

const texts = columns.map((name) => {
  if (times.has(name)) return (value: unknown) => timeText(value as number);
  return (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : `"${value}"`);
});
const begins = columns.map((name, index) => `${index === 0 ? '{' : ','}"${name}":`);

function recordText(row: Row): string {
  let text = '';
  for (let index = 0; index < begins.length; index++) {
    const value = row[index] ?? null;
    text += (begins[index] as string) + (value === null ? 'null' : (texts[index] as (value: unknown) => string)(value));
  }
  return `${text}}`;
}

const zone = zoneOf('UTC');

function timeText(instantMs: number): string {
  return `"${formatInstant(instantMs, zone)}"`;
}
