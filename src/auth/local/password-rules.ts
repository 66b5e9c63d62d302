/** What a new password must be: long enough to withstand guessing, and no name that everybody knows (NIST SP 800-63B §3.1.1). */
import type { Settings } from '../../config.ts';
import { malformed, missing } from '../../errors.ts';
import { isWellFormed } from '../../text.ts';

export type PasswordRules = Pick<Settings, 'passwordLengthMin' | 'passwordLengthMax'>;

/**
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
  if (!isWellFormed(password)) throw malformed(field, 'expected text without NUL characters and unpaired surrogates.');
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
    throw malformed(field, 'it is easily guessed: the name of the account, or hardly any different characters.');
  }
  return password;
}

/** False for what can be nobody's password, so that no work is done on it. */
export function mayBePassword(password: string, { passwordLengthMax }: PasswordRules): boolean {
  return isWellFormed(password) && password.length <= 2 * passwordLengthMax;
}
