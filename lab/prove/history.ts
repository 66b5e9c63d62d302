/**
 * Checks the answers to clients and their reads against the guarantees (docs/reference/writing.md). Pure. A history is
 * about one group of records: every transaction on them, every read of all of them, and their final state. Times of
 * clients are from one monotonic clock; times of records are the service's.
 */
import { chainsOf, positionsOf } from './chains.ts';
import { judgeReads } from './reads.ts';

/** The answer of a write for one record. Milliseconds. */
export interface Written {
  readonly objectId: string;
  readonly created: number;
  readonly updated: number;
}

export type Answer =
  | { readonly kind: 'accepted'; readonly results: readonly Written[] }
  /** 211 with the results of the first answer. */
  | { readonly kind: 'replayed'; readonly results: readonly Written[] }
  /** 211 without results: the id belongs to another request. */
  | { readonly kind: 'foreign' }
  /** Any other answer that says that nothing was written. */
  | { readonly kind: 'refused'; readonly code: number; readonly text: string }
  /** A fault of the service, after which anything may or may not have been written; not a busy service. */
  | { readonly kind: 'fault'; readonly text: string };

/** One attempt to send a request. */
export interface Attempt {
  readonly sentAt: number;
  /** The answer that reached the client; null while none did. */
  heard: { readonly at: number; readonly answer: Answer } | null;
  /** The answer that a proxy forwarded to the client, which may have gone meanwhile; null without one. */
  handedOn: Answer | null;
  /** Answers of the service that were lost on the way. A request delivered twice has two answers. */
  readonly unheard: Answer[];
}

export interface Item {
  /** Null if the service makes the id. */
  readonly objectId: string | null;
  /** The last serverUpdateTime read; null for an add. */
  readonly base: number | null;
  /** The record's count after this: 0 for an add, one more than was read for an update, null for a delete. */
  readonly count: number | null;
}

/** One request; the same id with another payload is another request. */
export interface Transaction {
  readonly id: string;
  readonly operation: 'add' | 'update' | 'delete';
  readonly items: readonly Item[];
  readonly attempts: Attempt[];
}

/** A record as it was read. `mark` is the id of the transaction that wrote it last. */
export interface Seen extends Written {
  readonly mark: string;
  readonly count: number;
}

export interface Read {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly records: readonly Seen[];
}

export interface History {
  readonly transactions: readonly Transaction[];
  readonly reads: readonly Read[];
  /** All records of the group after all requests were answered. */
  readonly final: readonly Seen[];
}

export type Rule =
  | 'at most once'
  | 'all or nothing'
  | 'same replay'
  | 'answered is kept'
  | 'synced before answered'
  | 'no lost update'
  | 'time goes forward'
  | 'no part of a batch is seen'
  | 'reads go forward'
  | 'every request is settled'
  | 'no later accept'
  | 'nobody else is thrown out'
  | 'no secret is told'
  | 'it says what hangs'
  | 'no fault is answered'
  | 'the service stays up'
  | 'others are served'
  | 'nobody is held up'
  | 'written as its user';

export interface Violation {
  readonly rule: Rule;
  readonly message: string;
}

/** An executed request, with what it wrote. */
export interface Carried {
  readonly transaction: Transaction;
  readonly results: readonly Written[];
  /** When a client first knew; null if no answer reached one. */
  readonly knownAt: number | null;
}

export function judge(history: History): Violation[] {
  const { carried, violations } = judgeAnswers(history.transactions);
  const { chains, violations: broken } = chainsOf(carried);
  const places = positionsOf(chains);
  return [
    ...violations,
    ...broken,
    ...judgeFinal(history.final, carried, chains),
    ...judgeReads(history.reads, carried, chains, places),
  ];
}

type WithResults = Extract<Answer, { results: unknown }>;

const tellsResults = (answer: Answer): answer is WithResults => 'results' in answer;

/**
 * Checks a transaction's answers, independently of records: executed at most once, and the same answer at every repeat.
 */
export function judgeAnswers(transactions: readonly Transaction[]): { carried: Carried[]; violations: Violation[] } {
  const violations: Violation[] = [];
  const carried: Carried[] = [];
  const say = (rule: Rule, message: string) => violations.push({ rule, message });
  for (const [id, sharing] of Map.groupBy(transactions, (transaction) => transaction.id)) {
    const done = sharing.flatMap((transaction) => carriedBy(transaction, say));
    carried.push(...done);
    if (done.length > 1) say('at most once', `${id}: ${done.length} different requests with this id were carried out.`);
    const accepted = sharing.flatMap(answersOf).filter(({ kind }) => kind === 'accepted').length;
    if (accepted > 1) say('at most once', `${id}: ${accepted} answers say that it was carried out just now.`);
    judgeRepeats(id, sharing, done, say);
    for (const transaction of sharing) {
      const answers = answersOf(transaction);
      if (answers.length === 0) say('every request is settled', `${id}: no attempt was answered.`);
      for (const answer of answers) {
        if (answer.kind === 'fault') say('every request is settled', `${id}: a fault was answered: ${answer.text}`);
      }
      if (done.length === 0 && answers.some(({ kind }) => kind === 'foreign')) {
        say('same replay', `${id}: refused as another request's, and no other one was carried out.`);
      }
    }
  }
  return { carried, violations };
}

type Say = (rule: Rule, message: string) => void;

function answersOfAttempt({ heard, handedOn, unheard }: Attempt): Answer[] {
  const answer = heard?.answer ?? handedOn;
  return answer === null ? unheard : [answer, ...unheard];
}

function answersOf(transaction: Transaction): Answer[] {
  return transaction.attempts.flatMap(answersOfAttempt);
}

function carriedBy(transaction: Transaction, say: Say): Carried[] {
  const { id, items, attempts } = transaction;
  const withResults = answersOf(transaction).filter(tellsResults);
  const first = withResults[0];
  if (first === undefined) return [];
  const { results } = first;
  if (withResults.some((answer) => JSON.stringify(answer.results) !== JSON.stringify(results))) {
    say('same replay', `${id}: the answers of its attempts differ: ${JSON.stringify(withResults)}.`);
  }
  const isWhole =
    results.length === items.length &&
    items.every(({ objectId }, index) => objectId === null || objectId === results[index]?.objectId);
  if (!isWhole) say('all or nothing', `${id}: ${items.length} items were sent, ${JSON.stringify(results)} answered.`);
  const known = attempts.flatMap(({ heard }) => (heard !== null && tellsResults(heard.answer) ? heard.at : []));
  return [{ transaction, results, knownAt: known.length === 0 ? null : Math.min(...known) }];
}

/**
 * A request sent after a client knew that the id is used must get 211: with the results for the same request, without
 * for another one.
 */
function judgeRepeats(id: string, sharing: readonly Transaction[], done: readonly Carried[], say: Say): void {
  for (const { transaction: first, knownAt } of done) {
    if (knownAt === null) continue;
    for (const transaction of sharing) {
      const expected = transaction === first ? 'replayed' : 'foreign';
      for (const attempt of transaction.attempts) {
        if (attempt.sentAt <= knownAt) continue;
        const wrong = answersOfAttempt(attempt).find(({ kind }) => kind !== expected && kind !== 'fault');
        if (wrong === undefined) continue;
        const rule = wrong.kind === 'accepted' ? 'at most once' : 'same replay';
        say(rule, `${id}: a repeat sent after the answer was ${wrong.kind}; "${expected}" was expected.`);
      }
    }
  }
}

/** The final records must be those of the last accepted writes, and no others. */
function judgeFinal(
  final: readonly Seen[],
  carried: readonly Carried[],
  chains: ReturnType<typeof chainsOf>['chains'],
): Violation[] {
  const violations: Violation[] = [];
  const ids = new Set(carried.map(({ transaction }) => transaction.id));
  const present = new Map(final.map((record) => [record.objectId, record]));
  if (present.size !== final.length) {
    violations.push({ rule: 'at most once', message: 'A record is there more than once under the same objectId.' });
  }
  for (const [objectId, chain] of chains) {
    const last = chain.at(-1);
    const record = present.get(objectId);
    present.delete(objectId);
    if (last === undefined || (last.count === null && record === undefined)) continue;
    if (record === undefined) {
      violations.push({ rule: 'answered is kept', message: `${objectId}: what ${last.mark} wrote is not there.` });
    } else if (last.count === null) {
      violations.push({ rule: 'answered is kept', message: `${objectId}: ${last.mark} deleted it, and it is there.` });
    } else if (record.updated !== last.time || record.mark !== last.mark || record.count !== last.count) {
      const was = `${record.mark} at ${record.updated}, count ${record.count}`;
      const message = `${objectId}: ${was} is there; ${last.mark} at ${last.time}, count ${last.count} was answered last.`;
      violations.push({ rule: record.count < last.count ? 'no lost update' : 'answered is kept', message });
    }
  }
  for (const { objectId, mark } of present.values()) {
    const rule = ids.has(mark) ? 'at most once' : 'all or nothing';
    violations.push({ rule, message: `${objectId}: it has the mark of ${mark}, and no answer tells of it.` });
  }
  return violations;
}
