/** 201 with 429: neither the address nor the account has tried too often (`auth/attempts.ts`). */
import type { Attempt } from '../../attempts.ts';
import type { LocalLoginRequest, LocalLoginRooms } from '../login.ts';
import type { LocalLoginFields } from './all-fields.ts';

export async function fewAttempts(
  { attempts }: LocalLoginRooms,
  { request, fields }: { readonly request: LocalLoginRequest; readonly fields: LocalLoginFields },
): Promise<{ readonly attempt: Attempt }> {
  const account = { companyId: Number(request.path.companyId) || 0, name: fields.username };
  const attempt = { address: request.from.address, account };
  await attempts.guard('password', attempt);
  return { attempt };
}
