/**
 * Defines the SQL functions that our statements call on PostgreSQL; each data space has its own and is self-contained.
 */
import { lowerRuns, upperRuns } from '../../schema/fold-table.ts';

/**
 * The starts of the blocks of letters that are folded separately: `translate` searches its whole list for every
 * character, so only the lists for blocks in the text are used. With more blocks, the regular expressions that find
 * them would not all stay compiled (PostgreSQL caches 32).
 */
const blockStarts = [0x80, 0x100, 0x180, 0x2b0, 0x400, 0x460, 0x1000, 0x1e00, 0x1f00, 0x2000, 0xa000, 0x1_0000];

/** Statements that create the functions, with `"~".` for the schema of the data space. */
export const createFunctions: readonly string[] = [
  createFold('_fold_lower', 'lower', lowerRuns),
  createFold('_fold_upper', 'upper', upperRuns),
  `CREATE FUNCTION "~"._int64(value numeric) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2 AS $body$
BEGIN
  RETURN CASE WHEN value BETWEEN -9223372036854775808 AND 9223372036854775807 THEN value::bigint END;
END $body$`,
  // Sees what is committed at the time of the call, not when the calling statement began. Fails with a retryable error.
  `CREATE FUNCTION "~"._not_deleted_since(tables bigint, ids text[], times bigint[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  IF EXISTS (SELECT FROM unnest(ids, times) AS item(id, time)
    JOIN "~"._tombstone AS gone ON gone.table_id = tables AND gone.object_id = item.id WHERE gone.time >= item.time) THEN
    RAISE EXCEPTION 'A record was added and deleted meanwhile.' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN true;
END $body$`,
];

/**
 * One code point becomes one code point, and folding again changes nothing (`schema/fold.ts`), so the blocks can follow
 * each other. In the collation "C", `lower` and `upper` change ASCII letters only.
 */
function createFold(name: string, ascii: 'lower' | 'upper', runs: readonly number[]): string {
  const changes = changesOf(runs).filter(([from]) => from >= 0x80);
  const steps = blocksOf(changes).map(
    (block) => `IF folded ~ '${anyOf(block)}' THEN
    folded := pg_catalog.translate(folded, '${textOf(block, 0)}', '${textOf(block, 1)}');
  END IF;`,
  );
  return `CREATE FUNCTION "~".${name}(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 4 AS $body$
DECLARE
  folded text COLLATE "C" := pg_catalog.${ascii}(value COLLATE "C");
BEGIN
  IF pg_catalog.octet_length(value) = pg_catalog.length(value) OR folded !~ '${anyOf(changes)}' THEN
    RETURN folded;
  END IF;
  ${steps.join('\n  ')}
  RETURN folded;
END $body$`;
}

/** A code point, and the one that it becomes. */
type Change = readonly [number, number];

function blocksOf(changes: readonly Change[]): (readonly Change[])[] {
  return blockStarts
    .map((start, index) => {
      const end = blockStarts[index + 1] ?? Number.POSITIVE_INFINITY;
      return changes.filter(([from]) => from >= start && from < end);
    })
    .filter((block) => block.length > 0);
}

function textOf(changes: readonly Change[], at: 0 | 1): string {
  return changes.map((change) => String.fromCodePoint(change[at])).join('');
}

/** The regular expression of one character that changes; letters beside each other make a range. */
function anyOf(changes: readonly Change[]): string {
  const ranges: [number, number][] = [];
  for (const [from] of changes) {
    const range = ranges.at(-1);
    if (range !== undefined && from === range[1] + 1) range[1] = from;
    else ranges.push([from, from]);
  }
  const texts = ranges.map(([first, last]) => {
    const [one, other] = [String.fromCodePoint(first), String.fromCodePoint(last)];
    return first === last ? one : `${one}-${other}`;
  });
  return `[${texts.join('')}]`;
}

/** All changes, ascending; see `schema/fold-table.ts` on the runs. */
function changesOf(runs: readonly number[]): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < runs.length; at += 4) {
    const [first, count, step, distance] = runs.slice(at, at + 4) as [number, number, number, number];
    for (let index = 0; index < count; index++) {
      const from = first + index * step;
      changes.push([from, from + distance]);
    }
  }
  return changes.sort(([left], [right]) => left - right);
}
