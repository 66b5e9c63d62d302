/** Formats the service's own log for people in a terminal; everywhere else it stays pino's JSON. */
import { type Logger, pino } from 'pino';
import type { Settings } from '../config.ts';
import { openLog as openJsonLog } from '../log.ts';

/** Fields that every entry of pino has. */
const usual = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

export function openLog(
  settings: Pick<Settings, 'logLevel' | 'tokenHeaders' | 'logQueuedBytesMax'>,
  readable: boolean,
): Logger {
  return readable ? openJsonLog(settings, (entry) => `${readableEntry(entry)}\n`) : openJsonLog(settings);
}

/** A terminal would obey them, and text after a line end would look like another entry. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const controlsInStack = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `14:44:36 warn what happened company=1 user=3`, with the cause's stack on lines of its own. */
export function readableEntry(entry: string): string {
  const fields: Record<string, unknown> = JSON.parse(entry);
  const time = new Date(Number(fields.time)).toISOString().slice(11, 19);
  const level = pino.levels.labels[Number(fields.level)] ?? 'log';
  const others = Object.entries(fields)
    .filter(([name]) => !usual.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const cause = fields.err;
  const stack = typeof cause === 'object' && cause !== null && 'stack' in cause ? `\n${String(cause.stack)}` : '';
  const entryLine = [time, level.padEnd(5), fields.msg ?? '', ...others].join(' ').trimEnd();
  return entryLine.replaceAll(controls, ' ') + stack.replaceAll(controlsInStack, ' ');
}
