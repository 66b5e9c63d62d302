/**
 * The floor: a bare server on copies of the files of data spaces, which answers the service's own requests. `node
 * server.ts one` works in one thread; the requests of one turn of the event loop run together, writes in one commit.
 * `node server.ts threads`, for one data space, has reader threads for queries and a writer thread.
 */
import type { ServerResponse } from 'node:http';
import { Worker } from 'node:worker_threads';
import { defaults } from '../../../src/config.ts';
import { FloorFile, type Jobs, type Read, type Write } from './file.ts';
import { answer, readBody, serveFloor } from './http.ts';

const [, , way, spaces] = process.argv;
const readerCount = way === 'threads' ? defaults.readerThreads : 0;
/** Shares of the page cache: equal parts for all files, or for the main thread, the writer and the readers. */
const share = 1 / (way === 'threads' ? readerCount + 2 : Number(spaces));
/** Files open at once: few enough for the usual limit on descriptors, of which each file takes three. */
const filesMax = 2_000;

type Answered = (bodies: readonly string[]) => void;

/** Collects requests while work is under way, or, if this thread does the work, in one turn of the event loop. */
class Gathering<Item> {
  #items: { readonly item: Item; readonly response: ServerResponse }[] = [];
  #isUnderWay = false;
  readonly #work: (items: readonly Item[], answered: Answered) => void;

  constructor(work: (items: readonly Item[], answered: Answered) => void) {
    this.#work = work;
  }

  get isIdle(): boolean {
    return !this.#isUnderWay;
  }

  add(item: Item, response: ServerResponse): void {
    this.#items.push({ item, response });
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    const items = this.#items;
    this.#items = [];
    const answered = (bodies: readonly string[]) => {
      this.#isUnderWay = this.#items.length > 0;
      if (this.#isUnderWay) setImmediate(() => this.#begin());
      for (const [index, { response }] of items.entries()) answer(response, bodies[index] as string);
    };
    this.#work(
      items.map(({ item }) => item),
      answered,
    );
  }
}

/** Executes jobs in a separate thread. */
function threadOn(path: string): (jobs: Jobs, answered: Answered) => void {
  const worker = new Worker(new URL('./file.ts', import.meta.url), { workerData: { path, share } });
  const waiting: Answered[] = [];
  worker.on('message', (bodies: readonly string[]) => waiting.shift()?.(bodies));
  return (jobs, answered) => {
    waiting.push(answered);
    worker.postMessage(jobs);
  };
}

interface Space {
  readonly file: FloorFile;
  readonly writes: Gathering<Write>;
  readonly queries: readonly Gathering<Read>[] | null;
}

function openSpace(path: string): Space {
  const file = new FloorFile(path, share);
  if (readerCount === 0) {
    const writes = new Gathering<Write>((own, answered) => answered(file.carryOut({ writes: own })));
    return { file, writes, queries: null };
  }
  const writer = threadOn(path);
  const queries = Array.from({ length: readerCount }, () => {
    const reader = threadOn(path);
    return new Gathering<Read>((own, answered) => reader({ reads: own }, answered));
  });
  return { file, writes: new Gathering<Write>((own, answered) => writer({ writes: own }, answered)), queries };
}

const open = new Map<string, Space>();

function spaceIn(path: string): Space {
  let space = open.get(path);
  if (space === undefined) {
    if (open.size >= filesMax) closeOldest();
    space = openSpace(path);
    open.set(path, space);
  }
  return space;
}

function closeOldest(): void {
  for (const [path, { file, writes }] of open) {
    if (!writes.isIdle) continue;
    file.close();
    open.delete(path);
    return;
  }
}

/** Reads of all data spaces that are requested in one turn of the event loop and run in this thread. */
const reads = new Gathering<{ readonly path: string; readonly read: Read }>((items, answered) =>
  answered(items.flatMap(({ path, read }) => spaceIn(path).file.carryOut({ reads: [read] }))),
);
let turn = 0;

serveFloor((request, response, path, rest) => {
  const [first = '', name = '', last] = rest.split('/');
  if (request.method === 'GET')
    return reads.add({ path, read: { kind: 'get', table: first, objectId: name } }, response);
  readBody(request, (body) => {
    const space = spaceIn(path);
    if (first === 'batch') return space.writes.add({ kind: name === 'addData' ? 'add' : 'update', body }, response);
    const read: Read = { kind: last === 'count' ? 'count' : 'rows', body };
    if (space.queries === null) return reads.add({ path, read }, response);
    turn = (turn + 1) % space.queries.length;
    space.queries[turn]?.add(read, response);
  });
});
