/**
 * Plants faults in the dialects of the running services, to see which ones the queries of a comparison find: a query
 * whose SQL or values a fault changes is sent again with the fault, and finds it if the answer changes.
 */
import type { Dialect } from '../../src/query/statement.ts';
import { CompiledSpace } from '../../src/storage/compiled-space.ts';
import { postgresDialect } from '../../src/storage/postgres/dialect.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import type { Engine } from '../machine/scratch.ts';
import type { Fault } from './faults.ts';
import type { Request } from './requests.ts';
import type { Answer, Caller, Pair } from './services.ts';

export interface Planted {
  readonly fault: Fault;
  /** How many queries were sent again with it. */
  asked: number;
  /** The number of the query that found it, from 1; null until then. */
  foundBy: number | null;
}

type AnyMethod = (...args: readonly unknown[]) => unknown;

const dialects: Readonly<Record<Engine, Dialect>> = { sqlite: sqliteDialect, postgres: postgresDialect };
/** In the order of the answers of a pair. */
const engines = ['sqlite', 'postgres'] as const;

const methodOf = ({ engine, method }: Fault) => dialects[engine][method] as AnyMethod;

function replace({ engine, method }: Fault, by: AnyMethod): void {
  Object.assign(dialects[engine], { [method]: by });
}

/** Changes the dialects of this process until it is disposed of. One query may be under way at a time. */
export class Planting implements Disposable {
  readonly planted: readonly Planted[];
  readonly #restores: (() => void)[] = [];
  /** Those that change the SQL or the values of the current query. */
  readonly #concerned = new Set<Planted>();
  #queries = 0;

  constructor(faults: readonly Fault[]) {
    this.planted = faults.map((fault) => ({ fault, asked: 0, foundBy: null }));
    const { shape } = CompiledSpace.prototype;
    this.#restores.push(() => Object.assign(CompiledSpace.prototype, { shape }));
    // A cached statement would be used both with and without a fault.
    CompiledSpace.prototype.shape = (_text, make) => make();
    const methods = Map.groupBy(this.planted, ({ fault: { engine, method } }) => `${engine} ${method}`);
    for (const all of methods.values()) this.#watch(all);
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restores) restore();
  }

  get missed(): readonly Planted[] {
    return this.planted.filter(({ foundBy }) => foundBy === null);
  }

  /** Before a query. */
  begin(): void {
    this.#queries++;
    this.#concerned.clear();
  }

  /** After a query: sends it again with each fault that concerns it. */
  async askAgain(pair: Pair, caller: Caller, request: Request, answers: readonly [Answer, Answer]): Promise<void> {
    for (const one of [...this.#concerned]) {
      const { fault } = one;
      const at = engines.indexOf(fault.engine) as 0 | 1;
      const watched = methodOf(fault);
      replace(fault, fault.wrong);
      const { status, text } = await pair.services[at].ask(caller, request);
      replace(fault, watched);
      one.asked++;
      if (status !== answers[at].status || text !== answers[at].text) one.foundBy = this.#queries;
    }
  }

  /** @param all faults of the same method */
  #watch(all: readonly Planted[]): void {
    const [{ fault }] = all as [Planted];
    const real = methodOf(fault);
    this.#restores.push(() => replace(fault, real));
    replace(fault, (...args) => {
      const result = real(...args);
      for (const one of all) {
        if (one.foundBy === null && textOf(one.fault.wrong(...args)) !== textOf(result)) this.#concerned.add(one);
      }
      return result;
    });
  }
}

/** A text by which SQL, bound values or aggregates can be compared. */
function textOf(result: unknown): string {
  if (!(result instanceof Object)) return `${typeof result} ${result}`;
  const { parts, value } = result as ReturnType<Dialect['aggregate']>;
  return JSON.stringify([parts, value(parts.map((_, index) => `g.a${index}`))]);
}
