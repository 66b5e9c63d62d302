/** On platforms other than Node: the part of `node:test` that the client's tests use. */
import { type Report, report } from './control.ts';
import { fakeTimers } from './timers.ts';

type Work = (context: Context) => unknown;

interface Context {
  readonly mock: Mock;
}

interface File {
  readonly tests: { readonly name: string; readonly work: Work }[];
  readonly befores: (() => unknown)[];
  readonly afters: (() => unknown)[];
}

let loading: File = { tests: [], befores: [], afters: [] };

export const test = (name: string, work: Work): void => void loading.tests.push({ name, work });
export const before = (work: () => unknown): void => void loading.befores.push(work);
export const after = (work: () => unknown): void => void loading.afters.push(work);

/** Uncaught errors since the last test. */
const uncaught: unknown[] = [];
interface Uncaught {
  readonly error?: unknown;
  readonly reason?: unknown;
  preventDefault(): void;
}
const page = globalThis as { addEventListener?: (name: string, listener: (event: Uncaught) => void) => void };
for (const name of ['error', 'unhandledrejection']) {
  page.addEventListener?.(name, (event) => {
    event.preventDefault();
    uncaught.push(event.error ?? event.reason ?? event);
  });
}

/** Loads a file, and runs its tests one after the other. Reports each test, and hooks only if they fail. */
export async function runFile(file: string, load: () => Promise<unknown>): Promise<void> {
  const { tests, befores, afters }: File = { tests: [], befores: [], afters: [] };
  loading = { tests, befores, afters };
  const isReady = await runHooks(file, 'before', async () => {
    await load();
    for (const work of befores) await work();
    if (tests.length === 0) throw new Error('Expected tests, got none.');
  });
  for (const { name, work } of isReady ? tests : []) await report({ file, name, failed: await failureOf(work) });
  await runHooks(file, 'after', async () => {
    for (const work of afters) await work();
  });
}

/** @returns whether they succeeded */
async function runHooks(file: string, name: string, work: Work): Promise<boolean> {
  const failed = await failureOf(work);
  if (failed !== null) await report({ file, name, failed });
  return failed === null;
}

/** @returns null if it passed */
async function failureOf(work: Work): Promise<Report['failed']> {
  const mock = new Mock();
  let failed: unknown[] = [];
  try {
    await work({ mock });
  } catch (error) {
    failed = [error];
  }
  mock.reset();
  failed.push(...uncaught.splice(0));
  return failed.length === 0 ? null : told(failed[0]);
}

const told = (thrown: unknown) =>
  thrown instanceof Error
    ? { message: String(thrown), stack: thrown.stack ?? '' }
    : { message: String(thrown), stack: '' };

class Mock {
  readonly #resets: (() => void)[] = [];
  readonly timers = fakeTimers((reset) => this.#resets.push(reset));

  /** Records the calls of a method, which still runs. */
  method(of: object, name: string): { readonly mock: { readonly calls: { readonly arguments: unknown[] }[] } } {
    const object = of as Record<string, (...input: unknown[]) => unknown>;
    const own = Object.getOwnPropertyDescriptor(object, name);
    const method = object[name] as (...input: unknown[]) => unknown;
    const calls: { arguments: unknown[] }[] = [];
    object[name] = function (this: unknown, ...input) {
      calls.push({ arguments: input });
      return method.apply(this, input);
    };
    this.#resets.push(() => {
      if (own === undefined) delete object[name];
      else Object.defineProperty(object, name, own);
    });
    return { mock: { calls } };
  }

  reset(): void {
    for (const reset of this.#resets.reverse()) reset();
  }
}
