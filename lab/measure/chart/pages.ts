/**
 * Of the figures of one or more runs: the charts and the table of docs/explanation/performance.md, and all tables of
 * docs/explanation/performance-figures.md. Nothing there is typed by hand.
 */
import type { Figures, Summary } from '../measure.ts';
import { type Marks, withPart } from './generated-part.ts';
import { draw } from './svg.ts';

/** What `npm run bench -- --output <file>` writes. */
export interface Run {
  readonly machine: string;
  /** To PostgreSQL, at most, of each server on it; not told by runs in which they differed. */
  readonly databaseConnections?: number;
  readonly rounds: number;
  readonly measureMs: number;
  readonly figures: readonly Figures[];
}

/** Where the generated part of either page is. */
const marks: Marks = {
  begin: '<!-- made by npm run bench:chart from performance.json -->',
  end: '<!-- end of what is made -->',
};

/** The runs with each size of data once: a later run has only those that no earlier one has, as rates of different runs can't be compared. */
export function withoutRepeats(runs: readonly Run[]): Run[] {
  const seen = new Set<string>();
  return runs.map((run) => {
    const figures = run.figures.filter((one) => !seen.has(sizeOf(one)));
    for (const one of figures) seen.add(sizeOf(one));
    return { ...run, figures };
  });
}

/** The page that a user reads: the charts, and the figures of the charts on peers. @param run the first one that is kept */
export function pageWithCharts(page: string, run: Run): string {
  return withPart(page, marks, [measuredOn(run), floorImage, peerImage, summary(run)].join('\n\n'));
}

/** The appendix: every figure of every run. */
export function pageWithTables(page: string, runs: readonly Run[]): string {
  return withPart(page, marks, runs.map(tables).join('\n'));
}

const floorImage = '![The service to the floor](performance-floor.svg)';
const peerImage = '![Requests per second of the service and its peers](performance-peers.svg)';

/** Requests per second of the service to those of the floor, by work, one bar for each number of connections. */
export function floorChart({ figures }: Run): string {
  const { rows, spaces, own } = oneSize(figures);
  const connections = distinct(own.map((one) => one.connections));
  return draw({
    title: `The service to the floor: ${count(rows)} rows, ${count(spaces)} data space${spaces === 1 ? '' : 's'}`,
    unit: 'requests per second, as a share of the floor’s',
    series: connections.map((number) => `${number} connection${number === 1 ? '' : 's'}`),
    groups: distinct(own.map((one) => one.work)).map((work) => ({
      name: work,
      values: connections.map((number) => toFloor(find(own, work, number), 'service')),
    })),
    scale: 'linear',
    mark: { at: 1, text: 'the floor' },
    show: (value) => value.toFixed(2),
  });
}

/** Requests per second of every server of the run, at the number of connections in the middle. */
export function peerChart({ figures }: Run): string {
  const { rows, own } = oneSize(figures);
  const connections = middle(distinct(own.map((one) => one.connections)));
  const servers = inOrder(distinct(own.flatMap((one) => Object.keys(one.servers))));
  return draw({
    title: `Requests per second: ${count(rows)} rows, ${connections} connections`,
    unit: 'requests per second; each line is ten times the one before',
    series: servers,
    groups: distinct(own.map((one) => one.work)).map((work) => ({
      name: work,
      values: servers.map((name) => find(own, work, connections)?.servers[name]?.perSecond ?? null),
    })),
    scale: 'logarithmic',
    show: rate,
  });
}

/** The service on the database that the peers have comes first, as that is what they can be compared with. */
function inOrder(servers: readonly string[]): string[] {
  const [leading, ...others] = ['service on PostgreSQL', 'service', 'floor'];
  const rank = (name: string) => (name === leading ? -1 : others.indexOf(name) + 1);
  return servers.toSorted((a, b) => rank(a) - rank(b));
}

/** The figures that the charts show: one data space, of those sizes the one with the most servers, then the middle. */
function oneSize(figures: readonly Figures[]): { rows: number; spaces: number; own: readonly Figures[] } {
  const spaces = Math.min(...figures.map((one) => one.spaces));
  const rows = middle(distinct(figures.filter((one) => one.spaces === spaces).map((one) => one.rows)));
  return { rows, spaces, own: figures.filter((one) => one.spaces === spaces && one.rows === rows) };
}

function measuredOn({ machine, databaseConnections, rounds, measureMs }: Run): string {
  const pool =
    databaseConnections === undefined
      ? ''
      : ` At most ${databaseConnections} connections to PostgreSQL for each server.`;
  return `Measured on: ${machine} ${rounds} rounds of ${measureMs / 1_000} s; medians.${pool}`;
}

/** Requests per second at the number of connections of the chart on peers, one column for each server. */
function summary({ figures }: Run): string {
  const { rows, own } = oneSize(figures);
  const connections = middle(distinct(own.map((one) => one.connections)));
  const shown = own.filter((one) => one.connections === connections);
  const servers = inOrder(distinct(shown.flatMap((one) => Object.keys(one.servers))));
  const perSecond = (one: Figures, name: string) => {
    const summaryOf = one.servers[name];
    return summaryOf === undefined ? '' : rate(summaryOf.perSecond);
  };
  return [
    `Requests per second, ${count(rows)} rows, ${connections} connections:`,
    '',
    `| work | ${servers.join(' | ')} | service to the floor |`,
    `| ${servers.map(() => '---').join(' | ')} | --- | --- |`,
    ...shown.map((one) => {
      const cells = [
        one.work,
        ...servers.map((name) => perSecond(one, name)),
        toFloor(one, 'service')?.toFixed(2) ?? '',
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

function tables(run: Run): string {
  const { figures } = run;
  const sizes = distinct(figures.map(sizeOf));
  const parts = sizes.map((size) => {
    const own = figures.filter((one) => sizeOf(one) === size);
    const { rows, spaces } = own[0] as Figures;
    const lines = own.flatMap(({ work, connections, servers }) =>
      inOrder(Object.keys(servers)).map((name) => {
        const { perSecond, p50Ms, p99Ms, residentMiB } = servers[name] as Summary;
        return `| ${work} | ${connections} | ${name} | ${rate(perSecond)} | ${toFloor({ servers }, name)?.toFixed(2)} | ${time(p50Ms)} | ${time(p99Ms)} | ${residentMiB ?? ''} |`;
      }),
    );
    return [
      `### ${count(rows)} rows${spaces === 1 ? '' : ` in each of ${count(spaces)} data spaces`}`,
      '',
      '| work | connections | server | per second | to the floor | p50 ms | p99 ms | MiB |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n');
  });
  return [measuredOn(run), '', ...parts].join('\n');
}

function sizeOf({ rows, spaces }: Figures): string {
  return `${rows} ${spaces}`;
}

/** The ratio of the medians that are told. */
function toFloor(figures: Pick<Figures, 'servers'> | undefined, name: string): number | null {
  const own = figures?.servers[name];
  const floor = figures?.servers.floor;
  return own === undefined || floor === undefined ? null : own.perSecond / floor.perSecond;
}

function find(figures: readonly Figures[], work: string, connections: number): Figures | undefined {
  return figures.find((one) => one.work === work && one.connections === connections);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

function rate(value: number): string {
  return value < 10 ? value.toFixed(1) : count(Math.round(value));
}

function time(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : count(Math.round(ms));
}

/** With a thin space between thousands, from five digits on. */
function count(value: number): string {
  const text = String(value);
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
