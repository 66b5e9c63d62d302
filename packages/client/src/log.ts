/** Log messages of the client, sent in portions, if the service wants them (docs/reference/logs.md). */
import type { Transport } from './transport.ts';

export type LogLevel = 'ERROR' | 'MONITOR';

export interface Log {
  /** Queues the message for the next portion; never fails or waits. */
  (level: LogLevel, message: string): void;
  /**
   * Sends the queued messages, for example before a page is left. Messages that could not be sent stay for the next
   * portion.
   */
  flush(): Promise<void>;
}

const everyMs = 2_000;
const levelMs = 300_000;
/** Limit on one portion, so that it stays below 64 KiB in UTF-8. */
const charactersMax = 16_000;
/** Limit on the waiting messages of a level; the oldest are dropped. */
const waitingMax = 500;

/** @param now milliseconds since 1970 */
export function createLog(transport: Transport, now: () => number = Date.now): Log {
  const waiting: Record<LogLevel, string[]> = { ERROR: [], MONITOR: [] };
  let wantsAll = true;
  let askAgain = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<void> = Promise.resolve();

  const log = (level: LogLevel, message: string): void => {
    const lines = waiting[level];
    lines.push(`${new Date(now()).toISOString()} ${message}`.slice(0, charactersMax - 1));
    if (lines.length > waitingMax) lines.splice(0, 2, 'Older messages were left out.');
    timer ??= setTimeout(flush, everyMs);
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // Messages that arrive while a portion is under way are sent after it.
    last = last.then(send).catch(() => {});
    return last;
  }

  async function send(): Promise<void> {
    if (now() >= askAgain) {
      wantsAll = (await transport.send('getLogLevel', {})).answer.result !== 'ERROR';
      askAgain = now() + levelMs;
    }
    if (!wantsAll) waiting.MONITOR = [];
    for (const [logLevel, lines] of Object.entries(waiting)) {
      while (lines.length > 0) await sendPortion(logLevel as LogLevel, lines);
    }
  }

  async function sendPortion(logLevel: LogLevel, lines: string[]): Promise<void> {
    const portion: string[] = [];
    for (let characters = 0; lines[0] !== undefined; portion.push(lines.shift() as string)) {
      characters += lines[0].length + 1;
      if (characters > charactersMax) break;
    }
    try {
      await transport.send('sendLog', { body: { logLevel, message: portion.join('\n') } });
    } catch (error) {
      lines.unshift(...portion);
      throw error;
    }
  }

  return Object.assign(log, { flush });
}
