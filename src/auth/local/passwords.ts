/**
 * Rules for new passwords, and how passwords are stored: argon2id in PHC text (RFC 9106),
 * `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. Few are hashed at once, since each takes `passwordMemoryBytes`. For
 * an unknown account the same work is done.
 */
import { argon2, timingSafeEqual } from 'node:crypto';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { malformed, missing, ServiceError } from '../../errors.ts';
import { isWellFormed, refuseUnstorable } from '../../text.ts';

export interface Passwords {
  /** The text to store. @throws ServiceError `busy` when too many wait. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches the stored one, and whether that was hashed with outdated parameters and must be
   * stored again. Null stands for an account without a password: wrong, after the same time.
   * @throws ServiceError `busy` when too many wait.
   */
  verify(password: string, stored: string | null): Promise<{ readonly right: boolean; readonly outdated: boolean }>;
}

export type PasswordCosts = Pick<
  Settings,
  'passwordMemoryBytes' | 'passwordPasses' | 'passwordParallelism' | 'passwordsAtOnceMax' | 'passwordsQueuedMax'
>;

interface Parameters {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

interface Stored extends Parameters {
  readonly salt: Buffer;
  readonly digest: Buffer;
}

const saltBytes = 16;
const digestBytes = 32;

export function openPasswords(settings: PasswordCosts, environment: Pick<Environment, 'random'>): Passwords {
  const wanted: Parameters = {
    memoryKib: Math.floor(settings.passwordMemoryBytes / 1024),
    passes: settings.passwordPasses,
    parallelism: settings.passwordParallelism,
  };
  const noAccount: Stored = { ...wanted, salt: environment.random(saltBytes), digest: environment.random(digestBytes) };
  const oneOfFew = fewAtOnce(settings);
  const digestOf = (password: string, parameters: Parameters, salt: Buffer) =>
    oneOfFew(() => derive(password, parameters, salt));

  return {
    async hash(password) {
      const salt = Buffer.from(environment.random(saltBytes));
      return phcText({ ...wanted, salt, digest: await digestOf(password, wanted, salt) });
    },
    async verify(password, stored) {
      const against = stored === null ? noAccount : readPhcText(stored);
      const same = timingSafeEqual(await digestOf(password, against, against.salt), against.digest);
      const { memoryKib, passes, parallelism } = against;
      const outdated = memoryKib !== wanted.memoryKib || passes !== wanted.passes || parallelism !== wanted.parallelism;
      return { right: same && stored !== null, outdated };
    },
  };
}

/** The same password may be typed as different code points: compatibility forms count as equal (NIST SP 800-63B). */
function derive(password: string, parameters: Parameters, nonce: Buffer): Promise<Buffer> {
  const { memoryKib: memory, passes, parallelism } = parameters;
  const message = Buffer.from(password.normalize('NFKC'));
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, memory, passes, parallelism, tagLength: digestBytes }, (error, digest) => {
      if (error === null) resolve(digest);
      else reject(new ServiceError('internal', 'Hashing the password failed.', { cause: error }));
    });
  });
}

function phcText({ memoryKib, passes, parallelism, salt, digest }: Stored): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${base64(salt)}$${base64(digest)}`;
}

function readPhcText(text: string): Stored {
  const [, memory, passes, parallelism, salt, digest] =
    /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{43})$/.exec(text) ??
    [];
  if (salt === undefined || digest === undefined) {
    throw new ServiceError('internal', 'A stored password has an unknown form.');
  }
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    digest: Buffer.from(digest, 'base64'),
  };
}

/** Runs work in order of arrival, a few at once. */
function fewAtOnce({ passwordsAtOnceMax, passwordsQueuedMax }: PasswordCosts) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <R>(work: () => Promise<R>): Promise<R> => {
    if (running >= passwordsAtOnceMax) {
      if (waiting.length >= passwordsQueuedMax) {
        const message = `More than ${passwordsQueuedMax} passwords are waiting to be checked (setting passwordsQueuedMax); try again in a second.`;
        throw new ServiceError('busy', message, { retryAfterSeconds: 1 });
      }
      // Finished work passes its slot on.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

export type PasswordRules = Pick<Settings, 'passwordLengthMin' | 'passwordLengthMax'>;

/**
 * A new password: long enough to withstand guessing, and not a name that is publicly known (NIST SP 800-63B §3.1.1).
 * @param names of its owner (account, e-mail address), which the password may not be
 * @throws ServiceError `missing`, `malformed`; never with the password in it
 */
export function checkedPassword(
  field: string,
  password: string,
  rules: PasswordRules,
  names: readonly (string | null)[] = [],
): string {
  if (password === '') throw missing(field);
  refuseUnstorable(field, password);
  const length = [...password.normalize('NFKC')].length;
  const { passwordLengthMin, passwordLengthMax } = rules;
  if (length < passwordLengthMin) {
    throw malformed(field, `expected at least ${passwordLengthMin} characters (setting passwordLengthMin).`);
  }
  if (length > passwordLengthMax) {
    throw malformed(field, `expected at most ${passwordLengthMax} characters (setting passwordLengthMax).`);
  }
  const isName = names.some((name) => name?.toLowerCase() === password.toLowerCase());
  if (isName || new Set(password).size < 4) {
    throw malformed(field, 'it is easily guessed: it is the account name, or has too few different characters.');
  }
  return password;
}

/** False for a text that cannot be a password, so that no work is done on it. */
export function mayBePassword(password: string, { passwordLengthMax }: PasswordRules): boolean {
  return isWellFormed(password) && password.length <= 2 * passwordLengthMax;
}
