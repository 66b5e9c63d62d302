/**
 * Draws bars in groups as an SVG that can be read on light and on dark ground and needs no font from elsewhere. The scale is
 * logarithmic where the values are far apart.
 */

export interface Bars {
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly Group[];
  /** Names of the bars, in the order of their colours. */
  readonly series: readonly string[];
  readonly scale: 'linear' | 'logarithmic';
  /** Drawn as a line over all groups. */
  readonly mark?: { readonly at: number; readonly text: string };
  readonly show: (value: number) => string;
}

export interface Group {
  readonly name: string;
  /** By series; null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

const width = 760;
const left = 90;
const right = 90;
const top = 70;
const barHeight = 14;
const groupGap = 14;

/** Colours that stand apart on both grounds, also for those who can't tell red from green. */
const colours = ['#8a8f98', '#0b7fd6', '#e08a00', '#b4579f', '#12a594', '#8a5a2b', '#7cc4f5'];

export function draw(bars: Bars): string {
  const { groups, series, mark } = bars;
  const groupHeight = series.length * barHeight + groupGap;
  const bottom = top + groups.length * groupHeight;
  const values = groups.flatMap((group) => group.values).filter((value) => value !== null && value > 0) as number[];
  const x = scaleOf(bars.scale, [...values, ...(mark === undefined ? [] : [mark.at])]);
  const lines = x.ticks.flatMap((tick) => [
    `<line class="grid" x1="${at(x, tick)}" x2="${at(x, tick)}" y1="${top - 6}" y2="${bottom}"/>`,
    `<text class="small" x="${at(x, tick)}" y="${bottom + 16}" text-anchor="middle">${bars.show(tick)}</text>`,
  ]);
  const drawn = groups.flatMap((group, index) => groupOf(bars, group, top + index * groupHeight, x));
  const marked =
    mark === undefined
      ? []
      : [
          `<line class="mark" x1="${at(x, mark.at)}" x2="${at(x, mark.at)}" y1="${top - 6}" y2="${bottom}"/>`,
          `<text class="small" x="${at(x, mark.at)}" y="${top - 10}" text-anchor="middle">${escaped(mark.text)}</text>`,
        ];
  const height = bottom + 40;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(bars.title)}</title>`,
    style,
    `<text class="title" x="0" y="18">${escaped(bars.title)}</text>`,
    ...legend(series),
    ...lines,
    ...drawn,
    ...marked,
    `<text class="small" x="${left}" y="${height - 6}">${escaped(bars.unit)}</text>`,
    '</svg>',
  ].join('\n')}\n`;
}

const style = `<style>
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px } .small { font-size: 11px; fill: #59636e }
  .grid { stroke: #d1d9e0 } .mark { stroke: #cf222e; stroke-dasharray: 4 3 }
${colours.map((colour, index) => `  .s${index} { fill: ${colour} }`).join('\n')}
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #3d444d } .mark { stroke: #ff7b72 }
  }
</style>`;

interface Scale {
  readonly ticks: readonly number[];
  /** From 0 to 1. */
  readonly place: (value: number) => number;
}

function scaleOf(kind: Bars['scale'], values: readonly number[]): Scale {
  const max = Math.max(...values);
  if (kind === 'linear') {
    const step = [0.1, 0.2, 0.25, 0.5, 1, 2, 5].find((one) => max / one <= 6) ?? max / 5;
    const end = Math.ceil(max / step) * step;
    const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step);
    return { ticks, place: (value) => value / end };
  }
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.ceil(Math.log10(max));
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  return { ticks, place: (value) => (Math.log10(value) - from) / (to - from) };
}

function at(scale: Scale, value: number): string {
  return (left + scale.place(value) * (width - left - right)).toFixed(1);
}

function groupOf({ show }: Bars, { name, values }: Group, y: number, scale: Scale): string[] {
  const middle = y + (values.length * barHeight) / 2 + 4;
  const drawn = values.flatMap((value, index) => {
    const line = y + index * barHeight;
    if (value === null || value <= 0) return [];
    const end = Number(at(scale, value));
    return [
      `<rect class="s${index}" x="${left}" y="${line + 1}" width="${Math.max(1, end - left).toFixed(1)}" height="${barHeight - 3}"/>`,
      `<text class="small" x="${(end + 5).toFixed(1)}" y="${line + barHeight - 4}">${show(value)}</text>`,
    ];
  });
  return [`<text x="${left - 8}" y="${middle}" text-anchor="end">${escaped(name)}</text>`, ...drawn];
}

function legend(series: readonly string[]): string[] {
  let x = 0;
  return series.flatMap((name, index) => {
    const place = x;
    x += 30 + name.length * 6.6;
    return [
      `<rect class="s${index}" x="${place}" y="31" width="11" height="11"/>`,
      `<text class="small" x="${place + 16}" y="41">${escaped(name)}</text>`,
    ];
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
