/** Settings of devices, of the administrators' sign-in and of passwords: part of the table in `config.ts`. */
import { flag, hourMs, limit, type Setting, secret, text, time, whole } from './setting.ts';

const mib = 1024 * 1024;

export const accountSettings = {
  deviceAgainIsError: flag(
    true,
    'Answer 161 to a device that registers again; false answers 0, for clients that treat 161 as a failure.',
  ),
  adminSessionLifeMs: time(hourMs, 'Life of a sign-in to the administration, counted from its last use.'),
  adminSessionLifeMaxMs: time(12 * hourMs, 'Total life of a sign-in to the administration.'),
  setUpLinkLifeMs: time(24 * hourMs, 'How long the set-up link for the first administrator works.'),
  adminIssuer: text(
    '',
    isIssuer,
    'an address like https://login.example.com, or nothing',
    "The administrators' identity provider; without one they sign in with a password.",
  ),
  adminClientId: text('', /^[^\0]{0,200}$/, 'text', "Client id at the administrators' identity provider."),
  adminClientSecret: secret(
    text(
      '',
      /^[^\0]{0,1000}$/,
      'text',
      "Client secret at the administrators' identity provider, if the client has one.",
    ),
  ),
  passwordLengthMin: whole(12, 'characters', 8, 64, 'Minimum length of a new password.'),
  passwordLengthMax: whole(200, 'characters', 64, 1_000, 'Maximum length of a password.'),
  passwordMemoryBytes: whole(19 * mib, 'bytes', 7 * mib, 1024 * mib, 'Memory that argon2id takes for one password.'),
  passwordPasses: limit(2, 'passes', 100, 'Passes of argon2id over that memory.'),
  passwordParallelism: limit(1, 'lanes', 16, 'Lanes of argon2id.'),
  passwordsAtOnceMax: limit(2, 'passwords', 64, 'Passwords that are hashed at once.'),
  passwordsQueuedMax: limit(200, 'passwords', 100_000, 'Passwords that wait to be hashed.'),
} as const satisfies Record<string, Setting<unknown>>;

/** Plain http is for development only, on this machine. */
function isIssuer(input: string): boolean {
  if (input === '') return true;
  const url = URL.parse(input);
  return (
    url !== null &&
    (url.protocol === 'https:' || /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(input))
  );
}
