/** Storage that the instances of a proof share: gone when the proof is over. */
import { startPostgres } from '../machine/postgres.ts';
import { makeStorage, type Scratch } from '../machine/scratch.ts';
import type { Task } from './report.ts';

/** Several instances work on PostgreSQL; a server of its own is started when none is named. */
export async function withStorage<Result>(
  { server, instances }: Pick<Task, 'server'> & { readonly instances: number },
  work: (scratch: Scratch) => Promise<Result>,
): Promise<Result> {
  if (server === undefined && instances > 1) {
    const own = await startPostgres();
    try {
      return await withStorage({ server: own.url, instances }, work);
    } finally {
      await own.stop();
    }
  }
  const scratch = await makeStorage(server === undefined ? 'sqlite' : 'postgres', async () => server ?? '');
  try {
    return await work(scratch);
  } finally {
    await scratch.remove();
  }
}
