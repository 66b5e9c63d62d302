/**
 * The lock that the one server of a data folder holds, so that a second one is refused: its tables would be cached in
 * both. It is a lock of the operating system on a small SQLite file, so it ends with the process, however that ends. The
 * command line works beside a running server without it.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors.ts';
import { sqliteCode, stopping } from './failure.ts';

const busyCode = 5;

export class ServerLock {
  readonly #path: string;
  #held: DatabaseSync | null = null;
  #isReleased = false;

  constructor(folder: string) {
    this.#path = join(folder, 'server.lock');
  }

  /**
   * Takes the lock unless it is held already.
   * @throws ServiceError `internal` when another server holds it, `busy` after the release
   */
  take(): void {
    if (this.#held !== null) return;
    if (this.#isReleased) throw stopping();
    const db = new DatabaseSync(this.#path, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
      this.#held = db;
    } catch (error) {
      db.close();
      const isTaken = (sqliteCode(error) & 0xff) === busyCode;
      throw new ServiceError(
        'internal',
        isTaken
          ? 'Another Rowhouse server is using this data folder. Stop it first, or give this one a folder of its own.'
          : 'The lock file of the data folder could not be opened.',
        { cause: new Error(`locking ${this.#path}`, { cause: error }) },
      );
    }
  }

  release(): void {
    this.#held?.close();
    this.#held = null;
    this.#isReleased = true;
  }
}
