/**
 * A data space on PostgreSQL large enough to check plans: 100 000 tracks of 10 000 albums, in audiences of all sizes.
 */
import { table, types } from '../definitions.ts';
import { openPostgresWorld, type PostgresWorld } from '../postgres-world.ts';

const id = types.varchar(200);

/** Sees 0.1 % of the tracks. */
export const stranger = ['u900', 'g7'];
/** Sees nine tenths of them. */
export const insider = ['u7', 'a'];

export async function openStore(): Promise<PostgresWorld> {
  const world = await openPostgresWorld(
    table('Album', { Title: types.varchar(160), Year: types.integer }, [['Title'], ['Year', 'Title']]),
    table('Track', { Name: types.varchar(200), AlbumId: id, Price: types.decimal(10, 2), Size: types.integer }, [
      ['AlbumId'],
      ['Name'],
      ['Size', 'Name'],
    ]),
  );
  await world.sql(
    `INSERT INTO "~"."Album" ("objectId", "Title", "Year", "_audience", "_seq")
     SELECT 'a' || n, 'title ' || n % 5000, 1950 + n % 70, 'a', n FROM generate_series(1, 10000) AS n`,
  );
  // A tenth of the tracks belongs to a hundred groups, with a hundred tracks each; everyone sees the others.
  await world.sql(
    `INSERT INTO "~"."Track" ("objectId", "Name", "AlbumId", "Price", "Size", "_audience", "_seq")
     SELECT 't' || n, 'name ' || n % 20000, 'a' || 1 + n % 10000, n % 1000 / 100.0, nullif(n % 3000, 0),
       CASE WHEN n % 10 = 0 THEN 'g' || n / 10 % 100 ELSE 'a' END, n FROM generate_series(1, 100000) AS n`,
  );
  await world.sql('ANALYZE "~"."Album"');
  await world.sql('ANALYZE "~"."Track"');
  return world;
}
