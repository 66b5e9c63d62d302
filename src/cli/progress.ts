/** Shows the progress of long work: a redrawn bar in a terminal, otherwise a line now and then. */
import type { CommandContext } from './context.ts';

export interface Stage {
  /** The current work; a new name begins a new bar. */
  readonly name: string;
  readonly done: number;
  readonly of: number;
  /** What is counted; rows when absent. */
  readonly unit?: string;
}

export interface ProgressOptions {
  /** Where a bar can be drawn; null to write lines. */
  readonly terminal: { write(text: string): unknown; readonly columns?: number } | null;
  line(text: string): void;
  /** Milliseconds, from any origin. */
  readonly clock?: () => number;
}

const barWidth = 24;
const barEveryMs = 100;
const lineEveryMs = 5_000;

export interface ProgressDisplay {
  show(stage: Stage): void;
  /** Frees the line for later output. */
  end(): void;
}

export function openProgress({ terminal, line, clock = () => performance.now() }: ProgressOptions): ProgressDisplay {
  let present: { readonly name: string; readonly began: number; readonly from: number } | null = null;
  let drawnAt = Number.NEGATIVE_INFINITY;

  const rate = ({ done }: Stage): string => {
    const seconds = present === null ? 0 : (clock() - present.began) / 1_000;
    const each = present === null || seconds < 0.5 ? 0 : Math.round((done - present.from) / seconds);
    return each === 0 ? '' : `, ${each} a second`;
  };
  return {
    show(stage) {
      if (present?.name !== stage.name) present = { name: stage.name, began: clock(), from: stage.done };
      const isDone = stage.done >= stage.of;
      const waited = clock() - drawnAt;
      if (!isDone && waited < (terminal === null ? lineEveryMs : barEveryMs)) return;
      drawnAt = clock();
      const text = `${stage.name}: ${stage.done} of ${stage.of} ${stage.unit ?? 'rows'}${rate(stage)}`;
      if (terminal === null) line(text);
      else terminal.write(`\r\x1b[K${`${bar(stage)} ${text}`.slice(0, (terminal.columns ?? 80) - 1)}`);
    },
    end() {
      terminal?.write('\r\x1b[K');
    },
  };
}

/** The progress of an action on the error output: a bar in a terminal, otherwise lines. */
export function progressOf({ isTerminal, warn }: Pick<CommandContext, 'isTerminal' | 'warn'>): ProgressDisplay {
  return openProgress({ terminal: isTerminal && process.stderr.isTTY ? process.stderr : null, line: warn });
}

function bar({ done, of }: Stage): string {
  const share = of === 0 ? 1 : Math.min(1, done / of);
  const full = Math.round(share * barWidth);
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
