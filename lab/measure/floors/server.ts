/**
 * Two floors, a bare `node:http` server on a copy of a data space's file, which answers the service's own requests:
 * `node server.ts <file> <port> one` does all in one thread, what one turn of the event loop asks for together, writes in one
 * commit, synced; `… threads` has pages and counts done by reader threads and adds by a writer thread.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Worker } from 'node:worker_threads';
import { defaults } from '../../../src/config.ts';
import { carryOut, type Jobs, type Read } from './jobs.ts';
import { openTasks } from './statements.ts';

const [path, port, way] = process.argv.slice(2) as [string, string, 'one' | 'threads'];
const isThreaded = way === 'threads';
const readerCount = isThreaded ? defaults.readerThreads : 0;
/** Of the memory for pages: with threads, the main thread, the writer and the readers have equal parts. */
const share = isThreaded ? 1 / (readerCount + 2) : 1;
const file = openTasks(path, share);

/** Gathers what is asked for while the one that does it is at work, or in one turn of the event loop where that is this thread. */
class Gathering<Item> {
  #items: { readonly item: Item; readonly response: ServerResponse }[] = [];
  #isUnderWay = false;
  readonly #jobsOf: (items: readonly Item[]) => Jobs;
  readonly #lane: Lane | null;

  constructor(lane: Lane | null, jobsOf: (items: readonly Item[]) => Jobs) {
    this.#lane = lane;
    this.#jobsOf = jobsOf;
  }

  add(item: Item, response: ServerResponse): void {
    this.#items.push({ item, response });
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    setImmediate(() => this.#carryOut());
  }

  #carryOut(): void {
    const items = this.#items;
    this.#items = [];
    const jobs = this.#jobsOf(items.map(({ item }) => item));
    const answerAll = (bodies: readonly string[]) => {
      this.#isUnderWay = this.#items.length > 0;
      if (this.#isUnderWay) setImmediate(() => this.#carryOut());
      for (const [index, { response }] of items.entries()) answer(response, bodies[index] as string);
    };
    if (this.#lane === null) answerAll(carryOut(file, jobs));
    else this.#lane.send(jobs, answerAll);
  }
}

class Lane {
  readonly #worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: { path, share } });
  readonly #waiting: ((bodies: readonly string[]) => void)[] = [];

  constructor() {
    this.#worker.on('message', (bodies: readonly string[]) => this.#waiting.shift()?.(bodies));
  }

  send(jobs: Jobs, answered: (bodies: readonly string[]) => void): void {
    this.#waiting.push(answered);
    this.#worker.postMessage(jobs);
  }
}

const readers = Array.from({ length: readerCount }, () => new Lane());
const writer = isThreaded ? new Lane() : null;
const reads = (items: readonly Read[]): Jobs => ({ reads: items });
const gets = new Gathering<Read>(null, reads);
const queries = readerCount === 0 ? [gets] : readers.map((lane) => new Gathering<Read>(lane, reads));
const adds = new Gathering<Buffer>(writer, (items) => ({ adds: items }));
let turn = 0;

createServer((request, response) => {
  const url = request.url as string;
  if (request.method === 'GET')
    return gets.add({ kind: 'get', objectId: url.slice(url.lastIndexOf('/') + 1) }, response);
  readBody(request, (bytes) => {
    if (url.endsWith('/addData')) return adds.add(bytes, response);
    const amount = Number(JSON.parse(bytes.toString()).where.expression.params[0]);
    turn = (turn + 1) % queries.length;
    queries[turn]?.add({ kind: url.endsWith('/count') ? 'count' : 'page', amount }, response);
  });
}).listen(Number(port), '127.0.0.1', () => console.log(`floor (${way}) listens`));

function readBody(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

function answer(response: ServerResponse, body: string): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers);
  response.end(body);
}
