/** The result of a proof, and its report. */
import type { Violation } from './history.ts';

export interface Figure {
  readonly name: string;
  readonly value: string | number;
}

export interface Proof {
  readonly figures: readonly Figure[];
  readonly violations: readonly Violation[];
}

export interface Task {
  readonly seed: number;
  /** Address of a PostgreSQL server on which databases may be created; by default the proof uses SQLite. */
  readonly server?: string | undefined;
  /** Called now and then while it runs. */
  readonly progress: (line: string) => void;
}

const printedMax = 20;

export function describe(title: string, { figures, violations }: Proof): string {
  const width = Math.max(...figures.map(({ name }) => name.length));
  const lines = figures.map(({ name, value }) => {
    const text = typeof value === 'number' ? value.toLocaleString('en').replaceAll(',', ' ') : value;
    return `  ${name.padEnd(width)}  ${text}`;
  });
  const broken = violations.slice(0, printedMax).map(({ rule, message }) => `  ${rule}: ${message}`);
  const more = violations.length > printedMax ? [`  and ${violations.length - printedMax} more`] : [];
  const verdict = violations.length === 0 ? 'No violation.' : `${violations.length} VIOLATIONS:`;
  return [title, ...lines, verdict, ...broken, ...more].join('\n');
}

/** The rules that every proof of writes checks. */
export const usualRules = [
  ...(['at most once', 'all or nothing', 'same replay', 'answered is kept', 'no lost update'] as const),
  'every request is settled',
] as const;

/** The number of violations of each rule, so that proven rules are reported with 0. */
export function countsByRule(violations: readonly Violation[], rules: readonly Violation['rule'][]): Figure[] {
  return rules.map((rule) => ({
    name: `violations of "${rule}"`,
    value: violations.filter((violation) => violation.rule === rule).length,
  }));
}
