/**
 * The service's own log. No line contains a token, key, code, password or cookie: they are cut out of the finished
 * line, so it does not matter in which URL, header, body or message they were.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Settings } from './config.ts';
import { openLogOutput } from './log-output.ts';

const standardOutput = 1;
const cut = '[cut]';

/** Query parameters, form fields and JSON members, in lower case. */
const secretNames = [
  'token',
  'authtoken',
  'devicetoken',
  'usertokens',
  'appkey',
  'code',
  'authzcode',
  'code_verifier',
  'password',
  'newpassword',
  'secret',
  'client_secret',
  'clientsecret',
  'id_token',
  'access_token',
  'refresh_token',
] as const;

const secretHeaders = ['service-token', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-csrf-token'];

/** As many hexadecimal digits as SHA-1 has, or more: a token or most of one, wherever it stands. */
const maybeToken = /[0-9a-f]{40,}/gi;

/** `?name=value`, `&name=value`, up to the first character that cannot belong to a value. */
const parameter = /([?&;])([^=&;?#\s"\\]+)=([^&#\s"\\]*)/g;

/** Limit on JSON nested in text: each level doubles the backslashes before a quotation mark. */
const backslashesMax = 15;
/** Limit on the values of one header in characters; Node accepts no larger head. */
const listMax = 16 * 1024;

/** Writes to the standard output. @param form how an entry is written */
export function openLog(
  settings: Pick<Settings, 'logLevel' | 'tokenHeaders' | 'logQueuedBytesMax'>,
  form = (entry: string) => entry,
): Logger {
  const output = openLogOutput(standardOutput, settings, (lines) => {
    log.warn({ lines }, 'Lines of this log were lost because its output was blocked (setting logQueuedBytesMax).');
  });
  const log = logInto({ write: (entry) => output.write(form(entry)) }, settings);
  return log;
}

export function logInto(destination: DestinationStream, settings: Pick<Settings, 'logLevel' | 'tokenHeaders'>): Logger {
  return pino({ level: settings.logLevel, hooks: { streamWrite: cutter(settings) } }, destination);
}

/** Removes the secrets from a line of JSON, which stays valid, in time proportional to its length. */
function cutter({ tokenHeaders }: Pick<Settings, 'tokenHeaders'>): (line: string) => string {
  const headers = [...secretHeaders, ...tokenHeaders].map((name) => RegExp.escape(name)).join('|');
  const names = new Set<string>(secretNames);
  // Member and value, or two neighbours in a list of raw headers; in JSON within text the quotation marks are escaped.
  const mark = `\\\\{0,${backslashesMax}}"`;
  const member = new RegExp(
    `(${mark})(${headers}|${secretNames.join('|')})\\1(\\s{0,9}[:,]\\s{0,9})(?:\\[[^\\]]{0,${listMax}}\\]|(${mark})(?:(?!\\4).)*\\4)`,
    'gi',
  );
  const inText = new RegExp(`(${headers})(\\s{0,9}:\\s{0,9})[^"\\\\]+`, 'gi');
  return (line) =>
    line
      .replaceAll(
        member,
        (_all, quote: string, name: string, between: string) =>
          `${quote}${name}${quote}${between}${quote}${cut}${quote}`,
      )
      .replaceAll(inText, `$1$2${cut}`)
      .replaceAll(parameter, (all, before: string, name: string) =>
        names.has(decoded(name).toLowerCase()) ? `${before}${name}=${cut}` : all,
      )
      .replaceAll(maybeToken, cut);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
