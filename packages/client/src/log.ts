/** Log messages of the client, sent in portions, as far as the service wants them (docs/reference/logs.md). */
import type { Transport } from './transport.ts';

export type LogLevel = 'ERROR' | 'MONITOR';

export interface Log {
  /** Keeps the message for the next portion; never fails, and never waits. */
  (level: LogLevel, message: string): void;
  /** Sends what is kept, as before a page is left. Whatever could not be sent stays for the next portion. */
  flush(): Promise<void>;
}

const everyMs = 2_000;
const levelMs = 300_000;
/** Of one portion, so that it stays below 64 KiB in UTF-8. */
const charactersMax = 16_000;
/** Of the messages that wait; the oldest make way. */
const waitingMax = 500;

interface Message {
  readonly level: LogLevel;
  readonly text: string;
}

/** @param now milliseconds since 1970 */
export function createLog(transport: Transport, now: () => number = Date.now): Log {
  let waiting: Message[] = [];
  let lost = 0;
  let wanted: LogLevel = 'MONITOR';
  let askAgain = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;

  const log = (level: LogLevel, message: string): void => {
    waiting.push({ level, text: `${new Date(now()).toISOString()} ${message}`.slice(0, charactersMax) });
    if (waiting.length > waitingMax) {
      waiting.shift();
      lost++;
    }
    timer ??= setTimeout(() => void flush(), everyMs);
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // What comes meanwhile has a timer of its own.
    sending ??= sendAll()
      .catch(() => {})
      .finally(() => {
        sending = undefined;
      });
    return sending;
  }

  async function sendAll(): Promise<void> {
    if (waiting.length === 0) return;
    if (now() >= askAgain) {
      const { answer } = await transport.send('getLogLevel', {});
      wanted = answer.result === 'ERROR' ? 'ERROR' : 'MONITOR';
      askAgain = now() + levelMs;
    }
    if (wanted === 'ERROR') waiting = waiting.filter(({ level }) => level === 'ERROR');
    while (waiting.length > 0) {
      const portion = portionOf(waiting);
      const { level } = portion[0] as Message;
      const left = lost > 0 ? [`${lost} older messages were left out.`] : [];
      const told = lost;
      const message = [...left, ...portion.map(({ text }) => text)].join('\n');
      await transport.send('sendLog', { body: { logLevel: level, message } });
      waiting = waiting.filter((one) => !portion.includes(one));
      lost -= told;
    }
  }

  return Object.assign(log, { flush });
}

/** The messages of the first one's level that fit together. */
function portionOf(waiting: readonly Message[]): Message[] {
  const portion: Message[] = [];
  let characters = 0;
  for (const message of waiting) {
    if (message.level !== waiting[0]?.level) continue;
    characters += message.text.length + 1;
    if (portion.length > 0 && characters > charactersMax) break;
    portion.push(message);
  }
  return portion;
}
