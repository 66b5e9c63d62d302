/** Messages between the main thread and the engine's threads: plain data only. */
import type { AnswerForm, BoundValue } from '../../query/statement.ts';
import type { DefinitionChange, SpaceDefinition } from '../../schema/model.ts';
import type { Change, SelectResult, WriteBatch, WriteOutcome, WriteStatement, Written } from '../contract.ts';
import type { HighestIds } from '../identity.ts';
import type { Failure } from './failure.ts';
import type { FileName } from './folder.ts';

export interface SqlQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly expect?: NonNullable<WriteStatement['expect']>;
}

export type WriteRequest =
  /** Creates the data space's file; fails if a file with any content exists. */
  | { readonly kind: 'create'; readonly highestIds: HighestIds }
  | { readonly kind: 'batch'; readonly batch: WriteBatch }
  | { readonly kind: 'define'; readonly change: DefinitionChange }
  /** Deletes history from before a time, at most `rowsMax` rows; returns their number. */
  | { readonly kind: 'prune'; readonly before: number; readonly rowsMax: number }
  /** Statements on the directory or the logs. */
  | { readonly kind: 'sql'; readonly queries: readonly SqlQuery[] };

/** The answer to each kind of request. */
export interface WriteAnswers {
  readonly create: null;
  readonly batch: WriteOutcome;
  readonly define: SpaceDefinition | null;
  readonly prune: number;
  readonly sql: readonly Written[];
}

/** Requests of one file that are committed together. */
export interface WriteGroup {
  readonly file: FileName;
  readonly requests: readonly WriteRequest[];
  /** The messages sent ahead of it (`items-ahead.ts`): their common number, and the total of their items. */
  readonly ahead?: { readonly number: number; readonly count: number };
}

/** Items of a change in a batch; the batch is the request with this position in the group that follows. */
export interface ItemsAhead {
  readonly file: FileName;
  readonly number: number;
  readonly request: number;
  readonly change: number;
  readonly items: readonly Change['items'][number][];
}

export type Answer<Value> = { readonly value: Value } | { readonly failure: Failure };

/** One answer per request, in order, sent after the commit. */
export interface WriteGroupAnswer {
  readonly file: FileName;
  readonly answers: readonly Answer<WriteAnswers[keyof WriteAnswers]>[];
  /** How long the COMMIT took; null without one. */
  readonly commitMs: number | null;
}

/** The number of a statement, with its text if the thread may not know it. */
export interface ReadStatement {
  readonly id: number;
  readonly values: readonly BoundValue[];
  readonly text?: AnswerForm & { readonly sql: string };
  /** The same rows, found by a walk in their order (`page-tries.ts`). */
  readonly inOrder?: OtherSql;
  /** The same rows where a sum overflows (`Statement.withWideSums`). */
  readonly withWideSums?: OtherSql;
  /** Sent when its functions used up their memory: the statement in steps (`SteppedStatement`). */
  readonly steps?: Steps;
}

export interface BoundSql {
  readonly sql: string;
  readonly values: readonly BoundValue[];
}

/** Of a number of its own. */
export interface OtherSql extends BoundSql {
  readonly id: number;
}

export interface Steps {
  readonly fills: readonly (BoundSql & { readonly table: string })[];
  readonly main: BoundSql;
}

export interface ReadJob {
  readonly spaceId: number;
  readonly rows?: ReadStatement;
  readonly count?: ReadStatement;
  /** Its time limit; shorter than usual after an earlier run. */
  readonly timeMs?: number;
}

/** Jobs that one thread runs in order; each is claimed by its number before it begins (`claims.ts`). */
export interface ReadGroup {
  readonly firstNumber: number;
  readonly jobs: readonly ReadJob[];
}

/**
 * `unknown`: the texts of these statements must be sent. `needsSteps`: the functions used up their memory. Answers have
 * the order of the jobs.
 */
export type ReadAnswer = (
  | Answer<SelectResult>
  | { readonly unknown: readonly number[] }
  | { readonly needsSteps: true }
) & {
  /** How long the job ran. */
  readonly timeMs: number;
};

/** The last message to a thread: it closes its files and ends. */
export interface EndMessage {
  readonly end: true;
}
