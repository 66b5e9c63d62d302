/**
 * The service as a process that may be killed: it loads the program and reports that it is ready, opens the storage on
 * order, and then serves with a clock that its parent steps. Its argument may name a module of further orders.
 */
import { readdirSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { type Logger, pino } from 'pino';
import { type Environment, systemEnvironment } from '../../src/environment.ts';
import { loadSettings } from '../../src/load-settings.ts';
import { type Rowhouse, startRowhouse } from '../../src/main.ts';
import { carryOut, type Orders, outliveParent } from '../machine/child.ts';
import type { Opened, OpenOptions, Stored } from './process.ts';
import { makeSpaces } from './spaces.ts';
import { turnsSinceAsked } from './turn-meter.ts';

/** The exports of a module of orders. */
export interface OrdersModule {
  ordersOf(rowhouse: () => Rowhouse): Orders;
  /** Where the service logs; by default, errors go to its standard output. */
  readonly log?: Logger;
}

let clockOffsetMs = 0;
let rowhouse: Rowhouse | undefined;
const environment: Environment = { ...systemEnvironment, now: () => systemEnvironment.now() + clockOffsetMs };

const [, , path] = process.argv;
const more: OrdersModule | null = path === undefined ? null : await import(path);

flushCompileCache();
carryOut({
  open,
  clock(offsetMs: number) {
    clockOffsetMs = offsetMs;
  },
  turns: turnsSinceAsked,
  memory: () => process.memoryUsage().rss,
  files: () => readdirSync('/proc/self/fd').length,
  close: () => rowhouse?.close().then(outliveParent),
  stop: () => rowhouse?.close().then(() => process.exit(0)),
  ...more?.ordersOf(() => {
    if (rowhouse === undefined) throw new Error('The service is not open.');
    return rowhouse;
  }),
});

async function open({ stored, options }: { stored: Stored; options: OpenOptions }): Promise<Opened> {
  const { memoryBytes = Number.POSITIVE_INFINITY, spaces = 0, companies = 1, provider, password } = options;
  const settings = { ...loadSettings({ memoryBytes }), port: 0, ...stored, ...options.settings };
  rowhouse = await startRowhouse(settings, { demo: false, environment, log: more?.log ?? pino({ level: 'error' }) });
  const wanted = { spaces, companies, ...(provider && { provider }), ...(password && { password }) };
  const { url } = rowhouse;
  return { url, port: Number(new URL(url).port), spaces: await makeSpaces(rowhouse, environment, wanted) };
}
