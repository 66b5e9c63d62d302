/** A connection to a PostgreSQL database, to prepare or inspect it. */
import pg from 'pg';

/** One connection to a database, for the duration of the work. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
