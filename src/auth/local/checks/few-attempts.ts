/**
 * 201 with 429: neither the address nor the account has tried too often (`auth/attempts.ts`). What is refused before it
 * has not tried a password, and must not count against the account.
 */
import type { Attempt } from '../../attempts.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LocalLoginDeps, LocalLoginRequest } from '../login.ts';
import type { LocalLoginFields } from './all-fields.ts';

export async function fewAttempts(
  { attempts }: LocalLoginDeps,
  known: { readonly request: LocalLoginRequest; readonly fields: LocalLoginFields; readonly token: FoundToken },
): Promise<{ readonly attempt: Attempt }> {
  const { request, fields, token } = known;
  const account = { companyId: token.companyId, name: fields.username };
  const attempt = { address: request.from.address, account };
  await attempts.guard('password', attempt);
  return { attempt };
}
