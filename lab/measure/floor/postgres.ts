/**
 * The floor on PostgreSQL: a bare `node:http` server on `pg` with the same tables, one query for each request, and each
 * write committed alone: either in a transaction of several statements, as usual, or in a single statement.
 */
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { databaseConnections } from '../pool.ts';
import { tableName } from '../workload.ts';
import { answer, readBody, serveFloor } from './http.ts';

const [url, way] = process.argv.slice(2) as [string, 'transaction' | 'statement'];

const pool = new pg.Pool({ connectionString: url, max: databaseConnections });

const columns = [
  'objectId CreateTime UpdateTime serverCreateTime serverUpdateTime serverRecordStatus scopeType groupIds createUserId',
  'sku title note category quantity views price weight active soldAt city country',
].flatMap((names) => names.split(' '));
const names = columns.map((name) => `"${name}"`).join(', ');
const insertedNames = `${names}, "_audience", "_seq"`;
const places = (from: number, count: number) => Array.from({ length: count }, (_, at) => `$${from + at}`).join(', ');
const recordValues = `${places(1, columns.length + 1)}, 0`;
const historyNames = 'transaction_id, request_hash, attempt, answer, time';
const members = ['u1', 'g1', 'g2', 'a'];
let nextId = 0;

serveFloor((request, response, schema, path) => {
  if (request.method === 'GET') return answered(response, get(schema, path.slice(path.indexOf('/') + 1)));
  readBody(request, (body) => answered(response, add(schema, JSON.parse(body.toString()))));
});

async function get(schema: string, id: string): Promise<string> {
  const text = `SELECT ${names} FROM ${schema}."${tableName}" WHERE "objectId" = $1 AND "_audience" = ANY ($2)`;
  const { rows } = await pool.query({ name: `get ${schema}`, text, values: [id, members] });
  return JSON.stringify({ [tableName]: rows });
}

interface Body {
  readonly transactionId: string;
  readonly data: readonly Readonly<Record<string, string | null>>[];
}

async function add(schema: string, { transactionId, data: [record] }: Body): Promise<string> {
  const now = Date.now();
  const time = new Date(now).toISOString();
  const id = `${tableName}_${(nextId++).toString(16).padStart(12, '0')}${now.toString(16).padStart(20, '0')}`;
  const own = { ...record, objectId: id, serverCreateTime: time, serverUpdateTime: time, createUserId: '1' };
  const row = [...columns.map((name) => own[name as keyof typeof own] ?? null), 'a'];
  const result = JSON.stringify([{ objectId: id, serverCreateTime: time, serverUpdateTime: time }]);
  const history = [transactionId, transactionId, transactionId, result, now];
  const item = `INSERT INTO ${schema}."${tableName}" (${insertedNames}) VALUES (${recordValues})`;
  const noted = (from: number) => `INSERT INTO ${schema}._history (${historyNames}) VALUES (${places(from, 5)})`;
  if (way === 'statement') {
    const text = `WITH noted AS (${noted(row.length + 1)}) ${item}`;
    await pool.query({ name: `add ${schema}`, text, values: [...row, ...history] });
  } else {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query({ name: `item ${schema}`, text: item, values: row });
    await client.query({ name: `history ${schema}`, text: noted(1), values: history });
    await client.query('COMMIT');
    client.release();
  }
  return `{"errCode":0,"status":"OK","description":null,"results":${result}}`;
}

function answered(response: ServerResponse, text: Promise<string>): void {
  text.then(
    (body) => answer(response, body),
    (error: Error) => answer(response, error.message, 500),
  );
}
