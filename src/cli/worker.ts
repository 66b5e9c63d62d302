/**
 * One of several processes that answer on one port (`workers.ts`). The primary tells it what to serve. It stops cleanly
 * when told to, or when the primary is gone.
 */
import { startRowhouse } from '../main.ts';
import { openLog } from './readable-log.ts';
import type { FromWorker, ToWorker } from './workers.ts';

const tell = (message: FromWorker) => process.send?.(message);

// Ctrl-C reaches the whole process group; only the primary's command counts here.
process.on('SIGINT', () => {});

process.once('message', ({ number, settings, origins, demo, readable }: ToWorker) => {
  const log = openLog(settings, readable).child({ worker: number });
  const starting = startRowhouse(settings, { demo: demo ? 'shown' : false, origins, log });
  const stop = async () => {
    try {
      await (await starting).close();
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, 'The worker did not stop cleanly.');
      process.exit(1);
    }
  };
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  starting.then(
    () => tell({ ready: true }),
    (error: Error) => tell({ failed: error.message }),
  );
});
