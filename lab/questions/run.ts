/**
 * Compares the storage engines: rounds of random tables, writes, queries and changes of tables. Both services must give
 * the same answers, byte for byte; a model also checks the tables after a change. A round depends only on the seed and
 * its number, so that it can be repeated alone.
 */
import { type Random, seeded } from '../machine/random.ts';
import { compareTables, describedBin, describedTables, modelOf, type TablesModel } from './changed-tables.ts';
import { randomChanges } from './changes.ts';
import type { Planting } from './planting.ts';
import { fillRequests, type KnownTimes, type Operation, type Request, readRequest, writeRequest } from './requests.ts';
import { type Answer, type Caller, callers, type Pair } from './services.ts';
import { type CompareTable, definitionOf, randomTables } from './tables.ts';

export interface Difference {
  readonly round: number;
  readonly caller: Caller;
  readonly request: Request;
  /** The differing answers of two of them: SQLite, PostgreSQL or the model; or those to a dry run and its change. */
  readonly answers: Readonly<Record<string, string>>;
}

export interface Tally {
  /** Queries, counts and single reads. */
  queries: number;
  /** Batches. */
  writes: number;
  /** Changes of tables that were made. */
  changes: number;
  /** Queries and batches that SQLite refused. */
  refused: number;
  /** Requests for changes of tables that SQLite refused. */
  changesRefused: number;
  /** Queries and reads that found a record, or counted one. */
  found: number;
  /** Characters of answers, of one engine. */
  characters: number;
  rounds: number;
}

export interface CompareOptions {
  readonly seed: number;
  readonly queries: number;
  /** The first round, from 0. */
  readonly round?: number;
  readonly differencesMax?: number;
  /** Faults that the queries should find; with faults, only one query is under way at a time. */
  readonly planting?: Planting | undefined;
  /** Ends the comparison early. */
  readonly isEnough?: () => boolean;
  readonly progress?: (tally: Readonly<Tally>, differences: number) => void;
}

export interface Compared {
  readonly tally: Readonly<Tally>;
  readonly differences: readonly Difference[];
}

/** The number of stages in a round; tables are changed between stages. */
const stages = 10;
const queriesEach = 20;
const writesFirst = 16;
const writesEach = 2;
/** Queries under way at once. */
const lanes = 8;
const secondMs = 1_000;
/** The share of queries made for the tables before the last change. */
const outdatedShare = 0.05;
/** The share of changes of tables that follow their dry run. */
const rehearsedShare = 0.3;

export async function compare(pair: Pair, options: CompareOptions): Promise<Compared> {
  const {
    seed,
    queries,
    round: first = 0,
    differencesMax = 20,
    progress = () => {},
    planting,
    isEnough = () => false,
  } = options;
  const tally: Tally = {
    ...{ queries: 0, writes: 0, changes: 0, refused: 0, changesRefused: 0, found: 0, characters: 0, rounds: 0 },
  };
  const differences: Difference[] = [];
  const isOver = () => tally.queries >= queries || differences.length >= differencesMax || isEnough();

  for (let number = first; !isOver(); number++) {
    const round = new Round(pair, number, seeded(seed, number), tally, differences, planting);
    await round.begin();
    for (let stage = 0; stage < stages && !isOver(); stage++) {
      if (stage > 0) {
        await round.change();
        for (let index = 0; index < writesEach; index++) await round.write();
      }
      await round.query(Math.min(queriesEach, queries - tally.queries), isOver);
    }
    tally.rounds++;
    progress(tally, differences.length);
  }
  return { tally, differences };
}

class Round {
  readonly #pair: Pair;
  readonly #number: number;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #differences: Difference[];
  readonly #planting: Planting | undefined;
  readonly #known: KnownTimes = new Map();
  #model: TablesModel = modelOf([]);
  #tables: readonly CompareTable[] = [];
  /** The tables before the last change. */
  #before: readonly CompareTable[] = [];
  #revision = 0;

  constructor(
    pair: Pair,
    number: number,
    random: Random,
    tally: Tally,
    differences: Difference[],
    planting?: Planting,
  ) {
    this.#pair = pair;
    this.#number = number;
    this.#random = random;
    this.#tally = tally;
    this.#differences = differences;
    this.#planting = planting;
  }

  /** Replaces the tables by random ones with records. */
  async begin(): Promise<void> {
    const tables = randomTables(this.#random);
    const body = { isResetDatabase: true, tables: tables.map(definitionOf) };
    const { status, text } = await this.#ask('alice', { method: 'POST', path: 'schemas', body });
    if (status !== 200) throw new Error(`The tables were refused: ${text}`);
    const schemas = await this.#ask('alice', { method: 'GET', path: 'schemas' });
    this.#revision = (JSON.parse(schemas.text) as { revision: number }).revision;
    this.#have(modelOf(tables));
    for (const table of this.#tables) {
      const caller = this.#random.pick(callers);
      const requests = fillRequests(table, this.#pair.groupsOf(caller), this.#random);
      for (const request of requests) await this.#send(caller, request);
    }
    for (let index = 0; index < writesFirst; index++) await this.write();
  }

  async write(): Promise<void> {
    const caller = this.#random.pick(callers);
    await this.#send(caller, writeRequest(this.#tables, this.#known, this.#pair.groupsOf(caller), this.#random));
  }

  async query(count: number, isOver: () => boolean): Promise<void> {
    const asked = Array.from({ length: count }, () => ({
      caller: this.#random.pick(callers),
      request: readRequest(this.#random.chance(outdatedShare) ? this.#before : this.#tables, this.#random),
    }));
    const lane = async () => {
      for (let next = asked.pop(); next !== undefined && !isOver(); next = asked.pop()) {
        this.#planting?.begin();
        const { status, text } = await this.#ask(next.caller, next.request, true);
        if (status !== 200) this.#tally.refused++;
        this.#tally.queries++;
        if (status === 200 && /"objectId":|"count":[1-9]|"v0":[^n]/.test(text)) this.#tally.found++;
      }
    };
    await Promise.all(Array.from({ length: this.#planting === undefined ? lanes : 1 }, lane));
  }

  /**
   * Requests changes of the tables, a dry run, or both, and compares the tables with those of the model, and the outcome
   * with that of the dry run.
   */
  async change(): Promise<void> {
    const { changes, after, isSpoiled } = randomChanges(this.#model, this.#random);
    const dryRun = this.#random.chance(0.15);
    const body = { revision: this.#revision, changes, ...(dryRun && { dryRun }) };
    const request: Request = { method: 'POST', path: 'schemas/changes', body };
    const rehearsed = !dryRun && this.#random.chance(rehearsedShare) ? await this.#rehearse(body) : null;
    this.#pair.now += secondMs;
    const { status, text } = await this.#ask('alice', request);
    if (rehearsed !== null && !isForetold(rehearsed, { status, text })) {
      this.#differ('alice', request, { 'Dry run': toldOf(rehearsed), Change: toldOf({ status, text }) });
    }
    if (status !== 200) {
      this.#tally.changesRefused++;
      return;
    }
    const { revision, tables } = (JSON.parse(text) as { results: { revision: number; tables: object[] } }).results;
    const present = JSON.stringify(tables, (key, value) => (key === 'default' ? true : value));
    const expected = isSpoiled ? 'Refused.' : JSON.stringify(describedTables(after));
    if (present !== expected) this.#differ('alice', request, { Both: present, Model: expected });
    if (dryRun) return;
    this.#tally.changes += changes.length;
    this.#revision = revision;
    this.#have(after);
    await this.#lookIntoBin(after);
  }

  #rehearse(body: object): Promise<Answer> {
    return this.#ask('alice', { method: 'POST', path: 'schemas/changes', body: { ...body, dryRun: true } });
  }

  async #lookIntoBin({ tables, bin }: TablesModel): Promise<void> {
    const request: Request = { method: 'GET', path: 'schemas/bin' };
    const { text } = await this.#ask('alice', request);
    const listed = (JSON.parse(text) as { results: { id: number; table: string; column?: string }[] }).results;
    const present = JSON.stringify(listed.map(({ table, column }) => ({ table, column })));
    const expected = JSON.stringify(describedBin({ tables, bin, nextId: 0 }));
    if (present !== expected) this.#differ('alice', request, { Both: present, Model: expected });
    for (const [index, entry] of bin.entries()) entry.id = listed[index]?.id ?? null;
  }

  #have(model: TablesModel): void {
    this.#model = model;
    const tables = compareTables(model);
    this.#before = this.#tables.length === 0 ? tables : this.#tables;
    this.#tables = tables;
  }

  async #send(caller: Caller, request: Request): Promise<void> {
    this.#pair.now += secondMs;
    const answer = await this.#ask(caller, request);
    if (answer.status !== 200) this.#tally.refused++;
    this.#remember(request, answer);
    this.#tally.writes++;
  }

  async #ask(caller: Caller, request: Request, isQuery = false): Promise<Answer> {
    const answers = await this.#pair.ask(caller, request);
    const [sqlite, postgres] = answers;
    if (isQuery && sqlite.status === 200) await this.#planting?.askAgain(this.#pair, caller, request, answers);
    if (sqlite.status !== postgres.status || sqlite.text !== postgres.text) {
      this.#differ(caller, request, { SQLite: toldOf(sqlite), PostgreSQL: toldOf(postgres) });
    }
    this.#tally.characters += sqlite.text.length;
    return sqlite;
  }

  #differ(caller: Caller, request: Request, answers: Difference['answers']): void {
    this.#differences.push({ round: this.#number, caller, request, answers });
  }

  /** Remembers the records' times after a successful batch. */
  #remember({ path, body }: Request, { status, text }: Answer): void {
    if (status !== 200) return;
    const { objectName, operations } = body as WriteBody;
    const { results } = JSON.parse(text) as { results: { objectId: string; serverUpdateTime: string }[] };
    const one = { objectName, op: path.endsWith('deleteData') ? 'delete' : 'add', data: results } as const;
    const done = (operations ?? [one]).flatMap((operation) => operation.data.map(() => operation));
    for (const [index, { objectId, serverUpdateTime }] of results.entries()) {
      const { objectName: name, op } = done[index] as Operation;
      const key = `${this.#tables.find((table) => table.name === name)?.id}/${objectId}`;
      if (op === 'delete') this.#known.delete(key);
      else this.#known.set(key, serverUpdateTime);
    }
  }
}

/** Whether a dry run and the change itself agree: alike, unless the dry run could not check a part. */
function isForetold(dry: Answer, real: Answer): boolean {
  if (dry.status !== 200) return real.status === dry.status;
  return real.status === 200 || dry.text.includes('"checked":false');
}

const toldOf = ({ status, text }: Answer) => `${status} ${text}`;

interface WriteBody {
  readonly objectName: string;
  readonly operations?: readonly Operation[];
}
