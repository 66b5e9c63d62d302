/**
 * Acts on a data space: writes to records, changes of tables. Data space and audit trail are two databases, so the intent of the
 * act is noted first; then the act is carried out, and then its entry takes the intent's place. Where the entry can't be written
 * then, or the process ends in between, the data space tells later what became of the act: its history knows the
 * transaction id of a write, and its list of jobs the id of a change of tables.
 */
import type { Actor } from '../actor.ts';
import { finishedTableChange } from '../data/change-tables.ts';
import { transactionOf } from '../data/transaction.ts';
import { expectOne } from '../directory/revisions.ts';
import { ServiceError } from '../errors.ts';
import { dayMs } from '../setting.ts';
import { UnmetExpectation, type WriteStatement } from '../storage/contract.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';

export type IntentDeps = ChangeDeps & Deps<'data' | 'settings' | 'log'>;

export interface Intended {
  readonly spaceId: number;
  /** The id of the act in the data space: the transaction id, or the id of the job. */
  readonly id: string;
  readonly action: AuditedAction;
}

/**
 * Carries the act out, with its entry in the audit trail. An act that happened is never answered with an error of its entry:
 * that is logged, and the entry written later.
 * @param apply resolves to null where it did not happen after all
 * @throws what `apply` throws · ServiceError where the intent can't be noted, and nothing was done
 */
export async function withIntent<Result>(
  deps: IntentDeps,
  actor: Actor,
  intended: Intended,
  apply: () => Promise<Result>,
): Promise<Result> {
  const intent = await noteIntent(deps, actor, intended);
  const end = (happened: boolean) =>
    settle(deps, intent, happened ? [auditEntry(deps, actor, intended.action)] : []).catch((error: unknown) =>
      deps.log.warn(
        { err: error, id: intended.id, happened },
        'An audit entry could not be settled yet; the service will try again.',
      ),
    );
  let result: Result;
  try {
    result = await apply();
  } catch (error) {
    // What the service refused did not happen. Of a fault of the database the data space tells, later.
    if (error instanceof ServiceError && error.details.cause === undefined) await end(false);
    throw error;
  }
  await end(result !== null);
  return result;
}

interface KeptEntry {
  readonly actor: Actor;
  readonly action: AuditedAction;
}

/** @returns the number of the intent */
async function noteIntent(
  { storage: { directory }, environment }: IntentDeps,
  actor: Actor,
  { spaceId, id, action }: Intended,
): Promise<number> {
  const kept: KeptEntry = { actor, action };
  const values = {
    time: environment.now(),
    space_id: spaceId,
    transaction_id: id,
    entry: JSON.stringify(kept),
  };
  const [written] = await directory.write([directory.build.insertInto('record_intent').values(values).returning('id')]);
  return Number(written?.rows[0]?.id);
}

/** Replaces the intent by the entries, unless another process has already settled it. */
async function settle(
  { storage: { directory } }: IntentDeps,
  intent: number,
  entries: readonly WriteStatement[],
): Promise<void> {
  try {
    await directory.write([
      expectOne(directory.build.deleteFrom('record_intent').where('id', '=', intent)),
      ...entries,
    ]);
  } catch (error) {
    if (!(error instanceof UnmetExpectation)) throw error;
  }
}

interface LeftIntent {
  readonly id: number;
  readonly time: number;
  readonly space_id: number;
  readonly transaction_id: string;
  readonly entry: string;
}

/** How far an act may exceed its time limit; an older intent was left behind. */
const graceMs = 60_000;

/** How many intents are read at once. */
const intentsAtOnce = 1_000;

/**
 * Writes the audit entry of every interrupted act, or deletes its intent if the act did not happen.
 * @param warned when a failure to settle an intent was last logged, by its id
 */
async function settleIntents(deps: IntentDeps, warned: Map<number, number>): Promise<void> {
  const { storage, environment, settings } = deps;
  const { directory } = storage;
  const before = environment.now() - settings.writeTimeMs - graceMs;
  const leftAfter = (id: number) =>
    directory.build
      .selectFrom('record_intent')
      .selectAll()
      .where('time', '<', before)
      .where('id', '>', id)
      .orderBy('id')
      .limit(intentsAtOnce);
  const present = new Set<number>();
  for (let last = 0, isWhole = true; isWhole; ) {
    const left = await directory.read(leftAfter(last));
    for (const intent of left) {
      last = Number(intent.id);
      present.add(last);
      await settleLeft(deps, intent).catch((error: unknown) => warnDaily(deps, warned, intent, error));
    }
    isWhole = left.length === intentsAtOnce;
  }
  for (const id of warned.keys()) if (!present.has(id)) warned.delete(id);
}

/** Logs what to do about an act that can't be settled, at most once a day. */
function warnDaily(
  { environment, settings, log }: IntentDeps,
  warned: Map<number, number>,
  { id, time, space_id, transaction_id }: LeftIntent,
  error: unknown,
): void {
  const now = environment.now();
  if (now - (warned.get(Number(id)) ?? Number.NEGATIVE_INFINITY) < dayMs) return;
  warned.set(Number(id), now);
  const until = new Date(Number(time) + settings.historyDays * dayMs).toISOString();
  log.warn(
    { err: error, id: transaction_id, spaceId: Number(space_id), until },
    'An interrupted act could not be settled, because its data space cannot be read. Make the data space available again: the service tries every minute until the given time, and then writes the audit entry of the act with the note that it is unknown whether it happened.',
  );
}

async function settleLeft(deps: IntentDeps, intent: LeftIntent): Promise<void> {
  const { environment, settings, log } = deps;
  const { actor, action } = JSON.parse(intent.entry) as KeptEntry;
  const time = Number(intent.time);
  const now = environment.now();
  // The data space has deleted the history of older acts, so one without history may have happened.
  const isForgotten = now >= time + settings.historyDays * dayMs;
  const happened = await hasHappened(deps, intent, action).catch((error: unknown) => {
    if (!isForgotten) throw error;
    return false;
  });
  if (!happened && action.action !== 'record.write' && now < time + changeMs) return;
  const isUnknown = !happened && isForgotten;
  // The exact time is unknown: after the intent, and before it was settled.
  const settled = { settled: new Date(now).toISOString(), ...(isUnknown && { happened: 'unknown' }) };
  const entry = auditEntry(deps, actor, { ...action, detail: { ...action.detail, ...settled } }, time);
  await settle(deps, Number(intent.id), happened || isUnknown ? [entry] : []);
  log.warn(
    { id: intent.transaction_id, action: action.action, happened: isUnknown ? 'unknown' : happened },
    'An act was interrupted; its audit entry is settled.',
  );
}

/** A change of tables that is not there may still be under way, and may take as long as it needs on SQLite. */
const changeMs = dayMs;

async function hasHappened(
  { data }: IntentDeps,
  { space_id, transaction_id: id }: LeftIntent,
  { action, detail }: AuditedAction,
): Promise<boolean> {
  const spaceId = Number(space_id);
  if (action !== 'record.write') return finishedTableChange(data, spaceId, id);
  const kept = await transactionOf(data, spaceId, id);
  // Older entries of the history name the owner, not the writer.
  return kept !== null && (kept.userId === 0 || kept.userId === detail?.ownerId);
}

const everyMs = 60_000;

/** @returns a function that settles what ended processes left behind, as far as possible */
export function openSettling(deps: IntentDeps): () => Promise<void> {
  const warned = new Map<number, number>();
  return () =>
    settleIntents(deps, warned).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'Interrupted acts could not be settled.'),
    );
}

/** Settles now and at intervals. @returns a function that stops it */
export async function startSettlingIntents(deps: IntentDeps): Promise<() => Promise<void>> {
  const settleAll = openSettling(deps);
  let running = settleAll();
  await running;
  const timer = setInterval(() => {
    running = running.then(settleAll);
  }, everyMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
