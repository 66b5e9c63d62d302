/** Takes away tokens that ended some days ago (and with them their login flows), some at a time. */
import type { ExpressionBuilder } from 'kysely';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { rowsPerWrite } from './pruning.ts';

/** An ended token still answers 120, not 121, for this long. */
const keepEndedMs = 7 * 24 * 3_600_000;

/** Deletes one portion, and answers how many tokens it had: `rowsPerWrite` at most. */
export async function pruneEnded(db: Relational<DirectoryTables>, now: number): Promise<number> {
  const before = now - keepEndedMs;
  // What ends a session has to outlive its last token (`FoundToken.revoked`).
  const activeOf = (token: ExpressionBuilder<DirectoryTables & { t: DirectoryTables['token'] }, 't'>) =>
    token
      .selectFrom('token as l')
      .select('l.hash')
      .whereRef('l.session', '=', 't.session')
      .where('l.expires', '>=', before)
      .where((eb) => eb(eb('l.last_used', '+', eb.ref('l.valid_time')), '>=', before));
  const ended = db.build
    .selectFrom('token as t')
    .select('t.hash')
    .where((token) =>
      token.or([
        token('t.expires', '<', before),
        token.and([
          token('t.kind', '=', 'user'),
          token(token('t.last_used', '+', token.ref('t.valid_time')), '<', before),
        ]),
      ]),
    )
    .where((token) => token.or([token('t.revoked', '=', 0), token.not(token.exists(activeOf(token)))]))
    .limit(rowsPerWrite);
  const [tokens] = await db.write([db.build.deleteFrom('token').where('hash', 'in', ended)]);
  return tokens?.changed ?? 0;
}
