/**
 * Every setting: name, default, unit, meaning and check. One table, from which flags, environment, file and docs are
 * derived.
 */
import { availableParallelism } from 'node:os';
import { accountSettings } from './account-settings.ts';
import { bodySettings } from './body-settings.ts';
import { databaseSettings } from './database-settings.ts';
import { logSettings } from './log-settings.ts';
import { memorySettings } from './memory.ts';
import { safetySettings } from './safety-settings.ts';
import {
  choice,
  dayMs,
  days,
  flag,
  hourMs,
  limit,
  list,
  type Setting,
  secondMs,
  secret,
  text,
  time,
  whole,
} from './setting.ts';
import { statisticsSettings } from './statistics-settings.ts';

export type { Setting } from './setting.ts';

const kib = 1024;
const mib = 1024 * kib;

export const settingsTable = {
  port: whole(8080, 'port', 0, 65_535, 'Port to listen on; 0 chooses a free one.'),
  host: text('127.0.0.1', /^[A-Za-z0-9._:-]+$/, 'a host name or an IP address', 'Address to listen on.'),
  storage: {
    ...text(
      'sqlite:./data',
      /^(sqlite:|postgres(ql)?:\/\/)[^\0]+$/,
      'sqlite:<folder> or postgres://<user>:<password>@<host>:<port>/<database>',
      'Where the data is: in a folder, or in a database of PostgreSQL 15 or newer. With several hosts, <host>:<port>,<host>:<port>, the first one that accepts writes is used.',
    ),
    // Text that was meant as an address may hold a password.
    mayHoldSecret: (input) => !String(input).startsWith('sqlite'),
  },
  workers: limit(1, 'processes', 64, 'Processes of this instance that share the port; more than one needs PostgreSQL.'),
  basePath: text(
    '',
    /^((\/[A-Za-z0-9._~-]+)+)?$/,
    'a path like /rowhouse without a slash at its end, or nothing',
    'Context root that every path begins with.',
  ),
  publicUrl: text(
    '',
    isPublicUrl,
    'an address like https://data.example.com without a slash at its end, or nothing',
    'Address at which clients reach the service, if it differs from host and port; without basePath.',
  ),
  trustProxy: flag(false, "Trust the proxy's headers for the client's address. Only behind a proxy that sets them."),
  proxyHops: limit(
    1,
    'proxies',
    20,
    'Number of proxies in front, with trustProxy: each adds one address to X-Forwarded-For.',
  ),
  secretKey: secret(
    text(
      '',
      /^([0-9a-fA-F]{64})?$/,
      '64 hexadecimal digits',
      'Key that seals stored secrets; without one, a key file is created in the data folder.',
    ),
  ),
  previousSecretKeys: secret(
    list(
      /^[0-9a-f]{64}$/,
      'a list of keys of 64 hexadecimal digits',
      'Earlier secret keys, separated by commas: secrets sealed under them can still be opened.',
    ),
  ),
  tokenHeaders: list(
    /^[a-z0-9!#$%&'*+.^_`|~-]+$/,
    'a list of header names',
    'Further headers that carry the token, besides service-token, separated by commas.',
  ),
  errorStatus: choice(
    'code',
    ['code', 'ok'],
    'HTTP status of errors: code derives it from the error code, ok always sends 200 to clients, for existing ones that read only the envelope. The administration interface keeps its statuses.',
  ),
  firstOffset: whole(
    0,
    '',
    0,
    1,
    'Position of the first record in range.offset: 0, or 1 for existing clients that count from 1 (then 0 also means the first).',
  ),
  zone: text(
    'UTC',
    isZone,
    'UTC, an offset like +07:00 or a name like Asia/Ho_Chi_Minh',
    'Time zone of the times in answers, and of times received without an offset.',
  ),
  ...logSettings,
  ...statisticsSettings,
  anonymousTokenLifeMs: time(24 * hourMs, 'Life of an anonymous token.'),
  userTokenLifeMs: time(5 * hourMs, 'Life of a user token, counted from its last use.'),
  userTokenLifeMaxMs: time(30 * dayMs, 'Longest life of a user token, however often it is used.'),
  refreshGraceMs: time(10 * secondMs, 'How long a token still works after it was refreshed.'),
  sessionCacheMs: whole(3 * secondMs, 'milliseconds', 0, 5 * secondMs, 'How long a verified token is cached.'),
  sessionCacheMax: limit(50_000, 'tokens', 10_000_000, 'Verified tokens that are cached.'),
  auditRefusalsMax: limit(
    300,
    'entries',
    100_000,
    'Entries for refused sign-ins that a process adds to the audit trail in a minute; further refusals share one entry.',
  ),
  loginFlowLifeMs: time(600 * secondMs, 'How long a sign-in may take.'),
  providerTimeMs: time(10 * secondMs, 'How long an identity provider may take to answer.'),
  providerAnswerBytesMax: limit(mib, 'bytes', 64 * mib, 'Size of an answer from an identity provider.'),
  ...accountSettings,
  historyDays: days(90, 'How long the transaction history is kept.'),
  logDays: days(30, 'How long the log messages of clients are kept.'),
  binDays: days(30, 'How long dropped tables and columns can be restored.'),

  ...bodySettings,
  ...safetySettings,
  recordGroupsMax: limit(100, 'groups', 150, 'Groups of one record, which are part of its index entries.'),
  logMessageBytesMax: limit(64 * kib, 'bytes', 16 * mib, 'Size of one log message.'),
  rolePermissionsMax: limit(1_000, 'permissions', 10_000, 'Permissions on tables of one custom role.'),
  queryTablesMax: limit(16, 'tables', 32, 'Tables of one query, including its sub-queries.'),
  expressionDepthMax: limit(200, 'levels', 400, 'Depth of an expression.'),
  tableChangesMax: limit(100, 'changes', 1_000, 'Changes of tables in one request.'),
  parametersMax: limit(10_000, 'parameters', 30_000, 'Parameters of one query.'),
  expressionBytesMax: limit(64 * kib, 'bytes', mib, 'Size of all expressions of one query together.'),
  likePatternMax: limit(1_000, 'characters', 10_000, 'Length of a LIKE pattern, and of the words of a MATCH.'),
  likePatternsMax: limit(
    100_000,
    'characters',
    10_000_000,
    'Length of all LIKE patterns, and words of MATCH, of one query together.',
  ),
  maxRecordDefault: limit(1_000, 'records', 1_000_000, 'Records in a page of the older query without maxRecord.'),
  maxRecordMax: limit(10_000, 'records', 1_000_000, 'Records in a page of the older query.'),
  listLimitMax: limit(1_000, 'entries', 100_000, 'Entries in a page of a list of users, groups and so on.'),
  cursorBytesMax: limit(8 * kib, 'bytes', 64 * kib, 'Size of the sort values of one row in a query with a cursor.'),
  groupsMax: limit(
    100_000,
    'groups',
    10_000_000,
    'Groups of one query, before `having` and the range; a query with more is refused.',
  ),
  resultRowsMax: limit(100_000, 'rows', 10_000_000, 'Rows of one answer; a larger one is refused, never truncated.'),
  resultBytesMax: limit(64 * mib, 'bytes', 512 * mib, 'Size of one answer; a larger one is refused, never truncated.'),
  answersBytesMax: limit(
    256 * mib,
    'bytes',
    1024 * 1024 * mib,
    'Size of all large answers that clients have not read yet; one that does not fit is temporarily refused.',
  ),
  answerTimeMs: time(120 * secondMs, 'How long a client may take to read a large answer; then it is disconnected.'),
  queryTimeMs: time(10 * secondMs, 'How long a query may run.'),
  shapesMax: limit(200, 'shapes', 100_000, 'Compiled query shapes kept per data space.'),
  writesQueuedMax: limit(10_000, 'requests', 1_000_000, 'Waiting writes, at most half from one data space.'),
  readsQueuedMax: limit(2_000, 'requests', 1_000_000, 'Waiting queries, at most half from one data space.'),
  writerThreads: limit(4, 'threads', 64, 'Threads that commit.'),
  readerThreads: limit(
    Math.max(1, availableParallelism() - 1),
    'threads',
    64,
    'Threads that run queries; one less than the processors by default.',
  ),
  openFilesMax: whole(
    4_096,
    'files',
    8,
    100_000,
    'On SQLite, open files of data spaces, over all threads; fewer if the system allows fewer. On both engines, data spaces whose definitions are cached.',
  ),
  ...databaseSettings,
  writeTimeMs: time(10 * secondMs, 'How long a write waits for the database, and on PostgreSQL is retried.'),
  diskTimeMs: time(
    3 * secondMs,
    'On SQLite, how long the disk may take to respond before requests that need it are refused.',
  ),
  ...memorySettings,
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settingsTable;

/** The value of every setting. Sizes and durations are plain numbers in the unit at the end of the name. */
export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof settingsTable)[Name]> };
type ValueOf<OneSetting> = OneSetting extends Setting<infer Value> ? Value : never;

export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

export const defaults = Object.fromEntries(
  settingNames.map((name) => [name, settingsTable[name].default]),
) as unknown as Settings;

/** `bodyBytesMax` → `ROWHOUSE_BODY_BYTES_MAX` */
export function environmentName(name: SettingName): string {
  return `ROWHOUSE_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** `bodyBytesMax` → `body-bytes-max`, given as `--body-bytes-max`; null for a secret. */
export function flagName(name: SettingName): string | null {
  return settingsTable[name].secret ? null : name.replace(/[A-Z]/g, '-$&').toLowerCase();
}

/** Names beginning with `ROWHOUSE_` that are read elsewhere and are not settings. */
export const otherEnvironmentNames = {
  config: 'ROWHOUSE_CONFIG',
  clientSecret: 'ROWHOUSE_CLIENT_SECRET',
  token: 'ROWHOUSE_TOKEN',
} as const;

function isPublicUrl(input: string): boolean {
  if (input === '') return true;
  const url = URL.canParse(input) ? new URL(input) : null;
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#@]|\/$/.test(input);
}

function isZone(input: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: input });
    return true;
  } catch {
    return false;
  }
}
