/** Measures one work on several servers in turns, since the machine is shared and its speed varies: the ratios count. */

import { median } from '../machine/statistics.ts';
import { type Measured, run } from './load.ts';
import type { Measurable } from './servers.ts';
import type { Work } from './works.ts';

/** One work at one size, on every server of the run. */
export interface Figures {
  readonly work: string;
  readonly connections: number;
  /** In each data space. */
  readonly rows: number;
  readonly spaces: number;
  /** By the server's name; `floor` and `service` are always present. */
  readonly servers: Readonly<Record<string, Summary>>;
}

/** Medians of the rounds. */
export interface Summary {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** After the last round; null if unknown. */
  readonly residentMiB: number | null;
  /** The ratio of its requests per second, as reported here, to those of the floor. */
  readonly toFloor: number;
}

export interface Pace {
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** @throws Error, naming the server and the answer, when a server answers with an error */
export async function compare(
  work: Work,
  servers: readonly Measurable[],
  size: { readonly connections: number; readonly rows: number; readonly spaces: number },
  pace: Pace,
): Promise<Figures> {
  const measured = new Map<string, Measured[]>(servers.map(({ name }) => [name, []]));
  for (let round = 0; round < pace.rounds; round++) {
    // The first one has colder caches, so they take turns.
    const first = round % servers.length;
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      measured.get(server.name)?.push(await measure(work, server, size.connections, size.rows, pace));
    }
  }
  const floor = measured.get('floor') as Measured[];
  const entries = servers.map(async (server) => {
    const own = measured.get(server.name) as Measured[];
    return [server.name, summaryOf(own, floor, await server.residentMiB())] as const;
  });
  return { work: work.name, ...size, servers: Object.fromEntries(await Promise.all(entries)) };
}

async function measure(
  work: Work,
  server: Measurable,
  connections: number,
  rows: number,
  { warmUpMs, measureMs }: Pace,
): Promise<Measured> {
  const session = work.start(server, rows);
  const most = server.connectionsMax?.[work.name] ?? connections;
  const load = { port: server.port, connections: Math.min(connections, most), warmUpMs, measureMs };
  const measured = await run({ ...load, ...session });
  if (measured.failures > 0) {
    const { failures, firstFailure } = measured;
    throw new Error(`${failures} requests of "${work.name}" to ${server.name} failed; the first: ${firstFailure}`);
  }
  return measured;
}

/** The head of the Markdown table of figures, here and on the pages on performance. */
export const tableHead = `${row(['work', 'connections', 'rows', 'spaces', 'server', 'per second', 'to the floor', 'p50 ms', 'p99 ms', 'MiB'])}
${row(Array.from({ length: 10 }, () => '---'))}`;

export function tableRows({ work, connections, rows, spaces, servers }: Figures): string {
  return Object.entries(servers)
    .map(([name, { perSecond, toFloor, p50Ms, p99Ms, residentMiB }]) => {
      const rates = [perSecond.toFixed(perSecond < 100 ? 1 : 0), toFloor.toFixed(2)];
      return row([
        work,
        connections,
        rows,
        spaces,
        name,
        ...rates,
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        residentMiB ?? '',
      ]);
    })
    .join('\n');
}

/** One row of a table in Markdown. */
export function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function summaryOf(measured: readonly Measured[], floor: readonly Measured[], memory: number): Summary {
  const of = (rounds: readonly Measured[], pick: (one: Measured) => number, digits: number) =>
    Number(median(rounds.map(pick)).toFixed(digits));
  const perSecond = of(measured, (one) => one.perSecond, 1);
  return {
    perSecond,
    p50Ms: of(measured, (one) => one.p50, 3),
    p99Ms: of(measured, (one) => one.p99, 3),
    residentMiB: Number.isNaN(memory) ? null : memory,
    toFloor: Number((perSecond / of(floor, (one) => one.perSecond, 1)).toFixed(3)),
  };
}
