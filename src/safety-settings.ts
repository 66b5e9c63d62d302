/** Settings against guessing, floods, slow clients and lost requests: part of the table in `config.ts`. */
import { flag, limit, type Setting, secondMs, time, whole } from './setting.ts';
import { stopSettings } from './stop-settings.ts';

const kib = 1024;

export const safetySettings = {
  attemptLimits: flag(true, 'Limit attempts at secrets: tokens, sign-in, passwords. Off with --demo.'),
  addressAttemptsMax: whole(
    300,
    'attempts',
    60,
    1_000_000,
    'Attempts of one kind (requesting a token, login, refresh …) from one address in a minute.',
  ),
  accountAttemptsFree: whole(
    5,
    'attempts',
    2,
    1_000,
    'Failed attempts at one account from one address before the next one has to wait; ten times as many from anywhere.',
  ),
  attemptDelayMs: time(1 * secondMs, 'Length of the first wait; it doubles with every further failure.'),
  attemptDelayMaxMs: time(900 * secondMs, 'Longest wait of an address before it may try an account again.'),
  accountDelayMaxMs: time(
    30 * secondMs,
    'Longest time that an account is closed to addresses without an earlier sign-in to it.',
  ),
  attemptKeysMax: limit(100_000, 'entries', 10_000_000, 'Addresses and accounts whose attempts are kept in memory.'),
  quotaEveryMs: whole(
    60 * secondMs,
    'milliseconds',
    10,
    3_600 * secondMs,
    'How often the quotas of companies are read and their usage is measured.',
  ),
  headersTimeMs: time(20 * secondMs, 'How long the head of a request may take to arrive.'),
  requestTimeMs: time(300 * secondMs, 'How long a request may take to arrive, head and body.'),
  keepAliveMs: time(72 * secondMs, 'How long a connection without a request is kept open.'),
  addressConnectionsMax: limit(1_000, 'connections', 1_000_000, 'Open connections from one address to one process.'),
  signInBytesMax: limit(64 * kib, 'bytes', 16 * kib * kib, 'Size of the body of a sign-in, which anybody may send.'),
  ...stopSettings,
} as const satisfies Record<string, Setting<unknown>>;
