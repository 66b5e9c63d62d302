/** Of the figures of `npm run bench:floors`: their table in docs/explanation/performance-figures.md. */
import { type Marks, withPart } from './generated-part.ts';

/** What `npm run bench:floors -- --output <file>` writes. */
export interface FloorsRun {
  readonly machine: string;
  readonly by: string;
  readonly rows: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly figures: readonly {
    readonly work: string;
    readonly connections: number;
    readonly servers: Readonly<Record<string, { readonly perSecond: number; readonly cpuUs: number | null }>>;
  }[];
}

const marks: Marks = {
  begin: '<!-- made by npm run bench:chart from performance-floors.json -->',
  end: '<!-- end of the floors -->',
};

/** @param run null before there is one */
export function pageWithFloors(page: string, run: FloorsRun | null): string {
  return withPart(page, marks, run === null ? 'No run on a quiet machine is kept yet.' : tableOf(run));
}

/** Ratios are those of the figures in the table. */
function tableOf({ machine, by, rows, rounds, seconds, figures }: FloorsRun): string {
  const lines = figures.flatMap(({ work, connections, servers }) => {
    const floor = servers.floor;
    const threads = servers['floor with threads'];
    return Object.entries(servers).map(([name, { perSecond, cpuUs }]) => {
      const ratios = [ratio(perSecond, floor?.perSecond), ratio(perSecond, threads?.perSecond)];
      const cells = [work, connections, name, perSecond, ...ratios, cpuUs ?? '', ratio(cpuUs, floor?.cpuUs)];
      return `| ${cells.join(' | ')} |`;
    });
  });
  return [
    `Measured on: ${machine} ${rows} rows, ${rounds} rounds of ${seconds} s, requests sent by ${by}; medians.`,
    '',
    '| work | connections | server | per second | to the floor | to the floor with threads | CPU µs | CPU to the floor |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

function ratio(own: number | null | undefined, other: number | null | undefined): string {
  return own == null || other == null ? '' : (own / other).toFixed(2);
}
