/** The SQL functions that our statements call on PostgreSQL; every data space has its own, so that it stands by itself. */
import { lowerRuns, upperRuns } from '../../schema/fold-table.ts';

/**
 * Where the blocks of letters begin that are folded apart: `translate` looks through its whole list for every character,
 * so a text is given the lists of those blocks only that it has letters of.
 */
const blockStarts = [0x80, 0x100, 0x2b0, 0x400, 0x1000, 0x1e00, 0x2000, 0xa000, 0x1_0000, 0x11_0000];

/** What makes the functions, with `"~".` for the schema of the data space. */
export const createFunctions: readonly string[] = [
  createFold('_fold_lower', 'lower', lowerRuns),
  createFold('_fold_upper', 'upper', upperRuns),
  `CREATE FUNCTION "~"._int64(value numeric) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2 AS $body$
BEGIN
  RETURN CASE WHEN value BETWEEN -9223372036854775808 AND 9223372036854775807 THEN value::bigint END;
END $body$`,
];

/**
 * One code point becomes one code point, and folding again changes nothing (`schema/fold.ts`), so the blocks can follow
 * each other. In the collation "C", `lower` and `upper` change ASCII letters only.
 */
function createFold(name: string, ascii: 'lower' | 'upper', runs: readonly number[]): string {
  const steps = blocksOf(runs).map(
    ({ first, last, from, to }) => `IF folded ~ '[${escaped(first)}-${escaped(last)}]' THEN
    folded := pg_catalog.translate(folded, '${from}', '${to}');
  END IF;`,
  );
  return `CREATE FUNCTION "~".${name}(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 4 AS $body$
DECLARE
  folded text COLLATE "C" := pg_catalog.${ascii}(value COLLATE "C");
BEGIN
  IF pg_catalog.octet_length(value) = pg_catalog.length(value) THEN
    RETURN folded;
  END IF;
  ${steps.join('\n  ')}
  RETURN folded;
END $body$`;
}

interface Block {
  /** Its first and its last code point that changes. */
  readonly first: number;
  readonly last: number;
  /** The characters that change, and what they become, in the same order. */
  readonly from: string;
  readonly to: string;
}

function blocksOf(runs: readonly number[]): Block[] {
  const changes = changesOf(runs);
  return blockStarts.slice(1).flatMap((end, index) => {
    const own = changes.filter(([from]) => from >= blockStarts[index]! && from < end);
    if (own.length === 0) return [];
    const textOf = (at: 0 | 1) => own.map((change) => String.fromCodePoint(change[at])).join('');
    return [{ first: own[0]![0], last: own.at(-1)![0], from: textOf(0), to: textOf(1) }];
  });
}

/** Each code point that changes and what it becomes, ascending; see `schema/fold-table.ts` on the runs. */
function changesOf(runs: readonly number[]): (readonly [number, number])[] {
  const changes: (readonly [number, number])[] = [];
  for (let at = 0; at < runs.length; at += 4) {
    const [first, count, step, distance] = runs.slice(at, at + 4) as [number, number, number, number];
    for (let index = 0; index < count; index++) {
      const from = first + index * step;
      changes.push([from, from + distance]);
    }
  }
  return changes.sort(([left], [right]) => left - right);
}

/** A code point as a regular expression of PostgreSQL writes it. */
function escaped(codePoint: number): string {
  return `\\U${codePoint.toString(16).padStart(8, '0')}`;
}
