/**
 * A floor's work on the file of a data space: only the statements of the service, compiled at the first request of
 * their form, without tenants, tokens, checks, time limits or functions called for rows. As a worker thread, it answers
 * each list of jobs with a list of answers.
 */
import { createHash, randomUUID } from 'node:crypto';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { defaults } from '../../../src/config.ts';
import { check } from '../../../src/query/check.ts';
import { compileCount, compileRecord, compileRows } from '../../../src/query/compile.ts';
import { readExpressionForm } from '../../../src/query/expression-form.ts';
import type { Output, Statement } from '../../../src/query/statement.ts';
import type { ColumnType, SpaceDefinition } from '../../../src/schema/model.ts';
import { decimalText } from '../../../src/schema/numbers.ts';
import { formatInstant, zoneOf } from '../../../src/schema/time.ts';
import { readDefinition } from '../../../src/storage/catalogue.ts';
import { executeOn } from '../../../src/storage/sqlite/database.ts';
import { sqliteDialect, sqliteLayout } from '../../../src/storage/sqlite/dialect.ts';

export type Read =
  | { readonly kind: 'get'; readonly table: string; readonly objectId: string }
  | { readonly kind: 'rows' | 'count'; readonly body: Uint8Array };

export interface Write {
  readonly kind: 'add' | 'update';
  readonly body: Uint8Array;
}

/** Writes that arrive together share one commit, synced before the answer. */
export type Jobs = { readonly reads: readonly Read[] } | { readonly writes: readonly Write[] };

type Row = readonly (string | number | null)[];

const members = ['u1', 'g1', 'g2', 'a'];
const audiences = `IN (${members.map((member) => `'${member}'`).join(', ')})`;
/** The audiences are literals in the SQL, and no function is called for a row. */
const bareDialect = {
  ...sqliteDialect,
  visible: (audience: string, bound: string) => `(${audience} ${audiences} AND ${bound} IS NOT NULL)`,
  visibleRecord: (audience: string, bound: string) => `(${audience} ${audiences} AND ${bound} IS NOT NULL)`,
  boundMembers: () => '[]',
  withinDeadline: () => null,
};
const zone = zoneOf('UTC');
const rules = { ...defaults, zone };

/** Compiled statements, by the table of a get or a query's condition; shared by all data spaces of one definition. */
const compiled = {
  get: new Map<string, Compiled>(),
  rows: new Map<string, Compiled>(),
  count: new Map<string, Compiled>(),
};

export class FloorFile {
  readonly #db: DatabaseSync;
  readonly #definition: SpaceDefinition;
  readonly #prepared = new Map<string, StatementSync>();
  #seq = 1_000_000_000;

  /** @param share of the service's total page cache, from 0 to 1 */
  constructor(path: string, share: number) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
      PRAGMA cache_size = -${Math.floor((defaults.pageCacheBytes * share) / 1_024)}; PRAGMA temp_store = MEMORY;
      PRAGMA mmap_size = 268435456`);
    this.#definition = executeOn(this.#db, readDefinition(sqliteLayout));
  }

  close(): void {
    this.#db.close();
  }

  carryOut(jobs: Jobs): string[] {
    if ('reads' in jobs) return jobs.reads.map((read) => (read.kind === 'get' ? this.#get(read) : this.#query(read)));
    this.#db.exec('BEGIN IMMEDIATE');
    const now = Date.now();
    const answers = jobs.writes.map((write) => this.#write(write, now));
    this.#db.exec('COMMIT');
    return answers;
  }

  #get({ table, objectId }: Extract<Read, { kind: 'get' }>): string {
    const { statement, form } = compiledOf('get', table, () => compileRecord(this.#table(table), bareDialect));
    return this.#rows(statement, form, statement.bind({ parameters: [objectId], members }));
  }

  #query({ kind, body }: Extract<Read, { kind: 'rows' | 'count' }>): string {
    const sent = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
    const { source, params: parameters } = sent.where.expression;
    const compile = kind === 'count' ? compileCount : compileRows;
    const { statement, form } = compiledOf(kind, source, () =>
      compile(check(readExpressionForm(sent, defaults).query, this.#definition, defaults), bareDialect, rules),
    );
    const values = statement.bind({ parameters, members, offset: 0, limit: 20 });
    if (kind === 'rows') return this.#rows(statement, form, values);
    const [[count]] = this.#all(statement.sql, values) as [[number]];
    return `{"errCode":0,"status":"OK","description":null,"count":${count}}`;
  }

  #rows({ sql, outputs }: Statement, form: readonly TextOf[], values: readonly SQLInputValue[]): string {
    const texts = outputs.map(() => '');
    for (const row of this.#all(sql, values)) {
      let from = 0;
      for (let index = 0; index < outputs.length; index++) {
        const text = (form[index] as TextOf)(row, from);
        texts[index] += texts[index] === '' ? text : `,${text}`;
        from += (outputs[index] as Output).columns.length;
      }
    }
    return `{${outputs.map(({ key }, index) => `"${key}":[${texts[index]}]`).join(',')}}`;
  }

  #write({ kind, body }: Write, now: number): string {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    const { transactionId, objectName, data } = JSON.parse(bytes.toString());
    const known = 'SELECT answer FROM _history WHERE transaction_id = ?';
    const [before] = this.#all(known, [transactionId]);
    if (before !== undefined) return String(before[0]);
    const one = (item: Record<string, string>) =>
      kind === 'add' ? this.#add(objectName, item, now) : this.#update(objectName, item, now);
    const results = data.map(one).join(',');
    const text = `{"errCode":0,"status":"OK","description":null,"results":[${results}]}`;
    const remember = 'INSERT INTO _history (transaction_id, request_hash, answer, time) VALUES (?, ?, ?, ?)';
    this.#prepare(remember).run(transactionId, createHash('sha256').update(bytes).digest('hex'), text, now);
    return text;
  }

  #add(name: string, item: Record<string, string>, now: number): string {
    const { columns } = this.#table(name);
    const id = `${name}_${randomUUID().replaceAll('-', '')}`;
    const system = { objectId: id, serverCreateTime: now, serverUpdateTime: now, ...ofEveryone };
    const values = columns.map((column): SQLInputValue => {
      if (column.name in system) return system[column.name as keyof typeof system];
      return storedValue(item[column.name], column.type);
    });
    const names = [...columns.map((column) => `"${column.name}"`), '"_audience"', '"_seq"'];
    this.#prepare(`INSERT INTO "${name}" (${names}) VALUES (${names.map(() => '?')})`).run(...values, 'a', ++this.#seq);
    return writtenText(id, now, now);
  }

  #update(name: string, { objectId = '', serverUpdateTime = '', quantity = '' }: Record<string, string>, now: number) {
    const find = `SELECT rowid, "serverCreateTime", "serverUpdateTime" FROM "${name}"
      WHERE "objectId" = ? AND "_audience" ${audiences}`;
    const [[rowid, created, updated]] = this.#all(find, [objectId]) as [[number, number, number]];
    if (updated !== Date.parse(serverUpdateTime)) throw new Error(`The load sent an old lock of ${objectId}.`);
    const time = Math.max(now, updated + 1);
    this.#prepare(`UPDATE "${name}" SET quantity = ?, "serverUpdateTime" = ?, "_seq" = ? WHERE rowid = ?`).run(
      ...[Number(quantity), time, ++this.#seq, rowid],
    );
    return writtenText(objectId, created, time);
  }

  #table(name: string) {
    const table = this.#definition.tables.get(name);
    if (table === undefined) throw new Error(`There is no table ${name}.`);
    return table;
  }

  #all(sql: string, values: readonly SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values) as unknown as Row[];
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/** Makes JSON of the record whose columns begin at this position of the row. */
type TextOf = (row: Row, from: number) => string;

interface Compiled {
  readonly statement: Statement;
  readonly form: readonly TextOf[];
}

function compiledOf(kind: Read['kind'], key: string, compile: () => Statement): Compiled {
  let found = compiled[kind].get(key);
  if (found === undefined) {
    const statement = compile();
    found = { statement, form: statement.outputs.map(textOf) };
    compiled[kind].set(key, found);
  }
  return found;
}

function textOf({ columns }: Output): TextOf {
  const texts = columns.map(({ type }) => valueText(type));
  const begins = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}"${name}":`);
  return (row, from) => {
    let text = '';
    for (let index = 0; index < begins.length; index++) {
      const value = row[from + index] ?? null;
      text += begins[index];
      text += value === null ? 'null' : (texts[index] as (value: string | number) => string)(value);
    }
    return `${text}}`;
  };
}

function valueText(type: ColumnType): (value: string | number) => string {
  if (type.kind === 'datetime') return (value) => timeText(value as number);
  if (type.kind === 'bool') return (value) => (value === 0 ? '"false"' : '"true"');
  if (type.kind === 'decimal') return (value) => `"${decimalText(value as string, type.scale)}"`;
  return (value) => (typeof value === 'string' ? JSON.stringify(value) : `"${value}"`);
}

const timeText = (instantMs: number) => `"${formatInstant(instantMs, zone)}"`;

const writtenText = (id: string, created: number, updated: number) =>
  `{"objectId":"${id}","serverCreateTime":${timeText(created)},"serverUpdateTime":${timeText(updated)}}`;

const ofEveryone = { serverRecordStatus: 1, scopeType: 3, groupIds: null, createUserId: 1 } as const;

function storedValue(sent: string | null | undefined, { kind }: ColumnType): SQLInputValue {
  if (sent == null) return null;
  if (kind === 'datetime') return Date.parse(sent);
  if (kind === 'bool') return sent === 'true' ? 1 : 0;
  if (kind === 'decimal') return BigInt(sent.replace('.', ''));
  if (kind === 'long') return BigInt(sent);
  return kind === 'integer' || kind === 'double' ? Number(sent) : sent;
}

if (parentPort !== null) {
  const file = new FloorFile(workerData.path, workerData.share);
  parentPort.on('message', (jobs: Jobs) => parentPort?.postMessage(file.carryOut(jobs)));
}
