/**
 * Checks conditions while they are typed, by the very code with which the service checks a query: names, types, and the
 * place of the error. It is loaded when a screen needs it; how much of anything is too much, the service says.
 */
import { check } from '../src/query/check.ts';
import { parseSelectForm } from '../src/query/select-form.ts';
import { definitionFrom, emptyCatalogue } from '../src/schema/catalogue.ts';
import { parseTables } from '../src/schema/definition.ts';
import type { SpaceDefinition } from '../src/schema/model.ts';
import { planChange } from '../src/schema/plan.ts';
import { queryOf, type TableDescription, type Wanted } from './queries.ts';

const unbounded = 1e9;
const limits = {
  tablesMax: unbounded,
  columnsMax: unbounded,
  spaceColumnsMax: unbounded,
  indexesMax: unbounded,
  queryTablesMax: 64,
  likePatternMax: unbounded,
  functionBytesMax: unbounded,
  valueBytesMax: unbounded,
  expressionDepthMax: 200,
  expressionBytesMax: unbounded,
  parametersMax: unbounded,
  zone: 'UTC',
};

export interface Fault {
  readonly message: string;
  /** Position of the character in the condition, from 0; null where it has none. */
  readonly at: number | null;
}

/** The tables of a version as queries are checked against them. */
export function definitionOf(tables: readonly TableDescription[]): SpaceDefinition {
  const requested = ended(parseTables(tables, limits));
  const change = ended(planChange(definitionFrom(emptyCatalogue), requested, { reset: false, limits }));
  return definitionFrom({ ...emptyCatalogue, ...change?.after });
}

/** What is wrong about a condition on a table's records; null where nothing is. */
export function faultOf(definition: SpaceDefinition, wanted: Wanted): Fault | null {
  try {
    const { query } = parseSelectForm(queryOf(wanted), null, limits);
    check(query, definition, limits);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = /^where\.expression(?:\.source)?, character (\d+)/.exec(message)?.[1];
    return {
      message: message.replace(/^where\.expression(?:\.source)?(, character \d+)?: /, ''),
      at: at === undefined ? null : Number(at) - 1,
    };
  }
}

/** The result of steps that the service spreads over turns of its event loop. */
function ended<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as Result;
  }
}
