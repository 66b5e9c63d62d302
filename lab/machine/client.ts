/** A connection to a database of PostgreSQL, for whoever prepares one or looks into it. */
import pg from 'pg';

/** One connection to a database, for as long as the work lasts. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
