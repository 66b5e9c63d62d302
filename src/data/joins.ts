/** The joins in the queries of a version's clients, with the present names of tables and columns. */
import { joinNames, type NamedJoin } from '../query/joined-columns.ts';
import type { DataContext, VersionTables } from './context.ts';

export interface MadeJoin extends NamedJoin {
  readonly queries: number;
}

/** Those of the past month, the most frequent first, without those on a table or column that is no longer defined. */
export async function joinsMade(
  { storage: { spaces }, joins }: DataContext,
  version: VersionTables,
): Promise<MadeJoin[]> {
  const nameOf = joinNames(await spaces.definition(version.spaceId));
  const counts = await joins.read(version);
  return counts.flatMap(({ joined, queries }) => {
    const names = nameOf(joined);
    return names === null ? [] : [{ ...names, queries }];
  });
}
