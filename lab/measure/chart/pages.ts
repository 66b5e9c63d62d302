/**
 * Of the figures of one or more runs: the table of docs/explanation/performance.md, and all tables of
 * docs/explanation/performance-figures.md. Nothing there is typed by hand.
 */
import type { Figures, Summary } from '../measure.ts';
import { type Marks, withPart } from './generated-part.ts';

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

/** The page that a user reads: requests per second of every server. @param run the first one that is kept */
export function pageWithSummary(page: string, run: Run): string {
  return withPart(page, marks, [measuredOn(run), summary(run)].join('\n\n'));
}

/** The appendix: every figure of every run. */
export function pageWithTables(page: string, runs: readonly Run[]): string {
  return withPart(page, marks, runs.map(tables).join('\n'));
}

/** The service on the database that the peers have comes first, as that is what they can be compared with. */
function inOrder(servers: readonly string[]): string[] {
  const [leading, ...others] = ['service on PostgreSQL', 'service', 'floor'];
  const rank = (name: string) => (name === leading ? -1 : others.indexOf(name) + 1);
  return servers.toSorted((a, b) => rank(a) - rank(b));
}

/** The figures of the summary: one data space, of its sizes the one in the middle. */
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

/** Requests per second at the number of connections in the middle, one column for each server. */
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
