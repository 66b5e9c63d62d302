/**
 * Compares the storage engines: rounds of random tables, writes and queries, each answered by both services, byte for
 * byte alike. A round is made from the seed and its number alone, so that one can be repeated by itself.
 */
import { seeded } from '../machine/random.ts';
import { fillRequests, type KnownTimes, type Operation, type Request, readRequest, writeRequest } from './requests.ts';
import { type Answer, type Caller, callers, type Pair } from './services.ts';
import { type CompareTable, randomTables } from './tables.ts';

export interface Difference {
  readonly round: number;
  readonly caller: Caller;
  readonly request: Request;
  readonly sqlite: Answer;
  readonly postgres: Answer;
}

export interface Tally {
  /** Queries, counts and single reads. */
  queries: number;
  /** Batches. */
  writes: number;
  /** Requests that SQLite refused. */
  refused: number;
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
  readonly progress?: (tally: Readonly<Tally>, differences: number) => void;
}

export interface Compared {
  readonly tally: Readonly<Tally>;
  readonly differences: readonly Difference[];
}

const queriesEach = 200;
const writesEach = 16;
/** Queries under way at once. */
const lanes = 8;
const secondMs = 1_000;

export async function compare(pair: Pair, options: CompareOptions): Promise<Compared> {
  const { seed, queries, round: first = 0, differencesMax = 20, progress = () => {} } = options;
  const tally: Tally = { queries: 0, writes: 0, refused: 0, found: 0, characters: 0, rounds: 0 };
  const differences: Difference[] = [];
  const isOver = () => tally.queries >= queries || differences.length >= differencesMax;

  for (let round = first; !isOver(); round++) {
    const random = seeded(seed, round);
    const ask = async (caller: Caller, request: Request): Promise<Answer> => {
      const [sqlite, postgres] = await pair.ask(caller, request);
      if (sqlite.status !== postgres.status || sqlite.text !== postgres.text) {
        differences.push({ round, caller, request, sqlite, postgres });
      }
      if (sqlite.status !== 200) tally.refused++;
      tally.characters += sqlite.text.length;
      return sqlite;
    };
    const tables = await define(randomTables(random), ask);
    const known: KnownTimes = new Map();
    const write = async (caller: Caller, request: Request) => {
      pair.now += secondMs;
      remember(known, request, await ask(caller, request));
      tally.writes++;
    };
    for (const table of tables) {
      const caller = random.pick(callers);
      for (const request of fillRequests(table, pair.groupsOf(caller), random)) await write(caller, request);
    }
    for (let index = 0; index < writesEach; index++) {
      const caller = random.pick(callers);
      await write(caller, writeRequest(tables, known, pair.groupsOf(caller), random));
    }
    const asked = Array.from({ length: Math.min(queriesEach, queries - tally.queries) }, () => ({
      caller: random.pick(callers),
      request: readRequest(tables, random),
    }));
    const lane = async () => {
      for (let next = asked.pop(); next !== undefined && !isOver(); next = asked.pop()) {
        const { status, text } = await ask(next.caller, next.request);
        tally.queries++;
        if (status === 200 && /"objectId":|"count":[1-9]|"v0":[^n]/.test(text)) tally.found++;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    tally.rounds++;
    progress(tally, differences.length);
  }
  return { tally, differences };
}

/** Puts the tables in the place of those that were there. @returns those that could be made */
async function define(
  tables: readonly CompareTable[],
  ask: (caller: Caller, request: Request) => Promise<Answer>,
): Promise<readonly CompareTable[]> {
  const post = (body: object) => ask('alice', { method: 'POST', path: 'schemas', body });
  const { status, text } = await post({ isResetDatabase: true, tables: tables.map(({ definition }) => definition) });
  if (status !== 200) throw new Error(`The tables were refused: ${text}`);
  await ask('alice', { method: 'GET', path: 'schemas' });
  return tables;
}

interface WriteBody {
  readonly objectName: string;
  readonly operations?: readonly Operation[];
}

/** The records' times after a batch that succeeded. */
function remember(known: KnownTimes, { path, body }: Request, { status, text }: Answer): void {
  if (status !== 200) return;
  const { objectName, operations } = body as WriteBody;
  const { results } = JSON.parse(text) as { results: { objectId: string; serverUpdateTime: string }[] };
  const one = { objectName, op: path.endsWith('deleteData') ? 'delete' : 'add', data: results } as const;
  const done = (operations ?? [one]).flatMap((operation) => operation.data.map(() => operation));
  for (const [index, { objectId, serverUpdateTime }] of results.entries()) {
    const { objectName: table, op } = done[index] as Operation;
    const key = `${table}/${objectId}`;
    if (op === 'delete') known.delete(key);
    else known.set(key, serverUpdateTime);
  }
}
