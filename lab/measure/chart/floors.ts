/** Of the figures of `npm run bench:floors`: their table in docs/explanation/performance.md. */

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

export const begin = '<!-- made by npm run bench:chart from performance-floors.json -->';
export const end = '<!-- end of the floors -->';

/**
 * @param page the text of the page, of which the part between the two marks is made anew
 * @param run null before there is one
 */
export function pageWithFloors(page: string, run: FloorsRun | null): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page has no part between "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${run === null ? 'No run on a quiet machine is kept yet.\n' : tableOf(run)}\n${page.slice(to)}`;
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
