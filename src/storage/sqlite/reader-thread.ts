/** A reader thread: runs the jobs of each group in order, and answers short ones together. */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { zoneOf } from '../../schema/time.ts';
import type { SelectResult } from '../contract.ts';
import { buffersOf } from '../json-text.ts';
import { keptSqlMax, Lru } from '../lru.ts';
import { Claims } from './claims.ts';
import { type AnswerWriters, answerWriters } from './column-types.ts';
import { Deadline } from './deadline.ts';
import { failureOf, isOfStatement, isOverflow } from './failure.ts';
import { pathOf } from './folder.ts';
import { CallMemory, DeadlinePassed } from './functions.ts';
import { LargeTurn } from './large-turn.ts';
import type { Answer, EndMessage, ReadAnswer, ReadGroup, ReadJob, ReadStatement } from './messages.ts';
import type { Share } from './open-files.ts';
import { PageTries } from './page-tries.ts';
import { threadPriority } from './priority.ts';
import {
  NeedsSteps,
  openReadFiles,
  type Query,
  type ReadFile,
  type ReadFolder,
  type SelectLimits,
  select,
} from './select.ts';

export interface ReaderData extends ReadFolder {
  readonly share: Share;
  readonly limits: SelectLimits;
  readonly functionBytesMax: number;
  readonly zone: string;
  readonly claims: SharedArrayBuffer;
  readonly deadlineFactor: number;
  /** See `LargeTurn`. */
  readonly largeTurn: SharedArrayBuffer;
  readonly threadNumber: number;
}

/** How many statement texts a thread keeps; `reader-lane.ts` relies on half of them. */
const textsMax = 2_000;

/** Once jobs have taken this long together, milliseconds, their answers are sent before the next job begins. */
const togetherMs = 0.5;

interface KnownStatement {
  readonly sql: string;
  readonly writers: AnswerWriters;
}

// Threads started later load the compiled code, because stripping types costs a thread some 20 MiB for its whole life.
flushCompileCache();

const port = parentPort as NonNullable<typeof parentPort>;
const {
  folder,
  installation,
  share,
  limits,
  functionBytesMax,
  zone: zoneName,
  claims: memory,
  deadlineFactor,
  largeTurn,
  threadNumber,
} = workerData as ReaderData;
const zone = zoneOf(zoneName);
const claims = new Claims(memory);
const priority = threadPriority();
const deadline = new Deadline(() => {
  sendAnswers();
  priority.lowerPriority();
});
const callMemory = new CallMemory(functionBytesMax);
const files = openReadFiles({ folder, installation }, share, deadline, () => deadlineFactor, callMemory);
const turn = new LargeTurn(largeTurn, threadNumber);
const stops = { deadline, memory: callMemory, onLarge: () => turn.take(lookAtDeadline) };
const known = new Lru<number, KnownStatement>(textsMax);
/** Statements in which a sum has overflowed. */
const overflowed = new Lru<number, true>(textsMax);
/** By the id of the sorting statement. */
const pages = new Lru<number, PageTries>(textsMax);

function lookAtDeadline(): void {
  if (deadline.hasPassedNow()) throw new DeadlinePassed();
}

function queryOf(statement: ReadStatement): Query | null {
  const { id, values, text, steps = null } = statement;
  let found = known.get(id);
  if (found === undefined) {
    if (text === undefined) return null;
    found = { sql: text.sql, writers: answerWriters(text, zone) };
    if (text.sql.length <= keptSqlMax) known.set(id, found);
  }
  return { id, values, steps, ...found };
}

function answer(job: ReadJob): ReadAnswer {
  const begin = performance.now();
  const outcome = run(job);
  turn.leave();
  priority.restorePriority();
  return { ...outcome, timeMs: performance.now() - begin };
}

type Outcome = Answer<SelectResult> | { unknown: number[] } | { needsSteps: true };

function run({ spaceId, rows, count, timeMs = limits.queryTimeMs }: ReadJob): Outcome {
  const rowsQuery = rows === undefined ? null : queryOf(rows);
  const walk = rowsQuery === null || rows?.inOrder === undefined ? null : { ...rowsQuery, ...rows.inOrder };
  const wide = rowsQuery === null || rows?.withWideSums === undefined ? null : { ...rowsQuery, ...rows.withWideSums };
  const countQuery = count === undefined ? null : queryOf(count);
  const unknown: number[] = [];
  if (rows !== undefined && rowsQuery === null) unknown.push(rows.id);
  if (count !== undefined && countQuery === null) unknown.push(count.id);
  if (unknown.length > 0) return { unknown };
  try {
    const file = files.use(spaceId);
    if (rowsQuery !== null && walk !== null && countQuery === null) return { value: selectPage(file, rowsQuery, walk) };
    deadline.start(timeMs);
    if (rowsQuery !== null && wide !== null) return { value: selectSums(file, rowsQuery, wide, countQuery) };
    return { value: select(file, rowsQuery, countQuery, limits, stops) };
  } catch (error) {
    if (error instanceof NeedsSteps) return { needsSteps: true };
    if (!(error instanceof ServiceError) && !isOfStatement(error)) files.drop(spaceId);
    return { failure: failureOf(error, `reading ${pathOf(folder, spaceId)}`) };
  }
}

/**
 * Adds up 64-bit integers, and on overflow repeats the sum with wider ones. Few sums overflow, and wide integers are
 * slower.
 * @throws as `select`
 */
function selectSums(file: ReadFile, narrow: Query, wide: Query, count: Query | null): SelectResult {
  if (overflowed.get(narrow.id) === undefined) {
    try {
      return select(file, narrow, count, limits, stops);
    } catch (error) {
      if (!isOverflow(error)) throw error;
      overflowed.set(narrow.id, true);
    }
  }
  return select(file, wide, count, limits, stops);
}

/** Finds a page by its tries. @throws as `select` */
function selectPage(file: ReadFile, sorted: Query, walk: Query): SelectResult {
  const learnt = pages.get(sorted.id) ?? pages.set(sorted.id, new PageTries());
  for (const one of learnt.tries()) {
    const begin = performance.now();
    deadline.start(one.timeMs ?? limits.queryTimeMs);
    try {
      const result = select(file, one.way === 'sorted' ? sorted : walk, null, limits, stops);
      learnt.note(one, performance.now() - begin);
      return result;
    } catch (error) {
      // A walk fails too when its index was dropped meanwhile.
      if (one.timeMs === null || error instanceof NeedsSteps) throw error;
      learnt.note(one, null);
    }
  }
  throw new Error('The last try of a page has no limit of its own.');
}

/** Answers not yet sent to the main thread. */
let answers: ReadAnswer[] = [];
let answersMs = 0;

function sendAnswers(): void {
  if (answers.length === 0) return;
  const buffers = answers.flatMap((each) => ('value' in each ? buffersOf(each.value.arrays) : []));
  port.postMessage(answers, buffers);
  answers = [];
  answersMs = 0;
}

port.on('message', (message: ReadGroup | EndMessage) => {
  if ('end' in message) {
    files.close();
    port.close();
    return;
  }
  for (const [index, job] of message.jobs.entries()) {
    if (!claims.claim(message.firstNumber + index)) break;
    const answered = answer(job);
    answers.push(answered);
    answersMs += answered.timeMs;
    if (answersMs >= togetherMs) sendAnswers();
  }
  sendAnswers();
});
