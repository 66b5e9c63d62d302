/** Stores sign-ins in a file that only its owner may read. */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TextStorage } from '../storage.ts';

/**
 * Texts in one JSON file, mode 0600, in a folder created with 0700. Each change replaces the whole file, so a killed
 * program leaves either the old or the new file. Only one program may use it at a time.
 */
export function fileStorage(path: string): TextStorage {
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<Record<string, string>> {
    try {
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      if (error instanceof SyntaxError) throw new Error(`${path}: expected JSON; move the file away to begin anew.`);
      throw error;
    }
  }

  async function replace(texts: Record<string, string>): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const made = `${path}.new`;
    const file = await open(made, 'w', 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(JSON.stringify(texts));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(made, path);
  }

  function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    getItem: (key) => inOrder(async () => (await read())[key] ?? null),
    setItem: (key, text) => inOrder(async () => replace({ ...(await read()), [key]: text })),
    removeItem: (key) =>
      inOrder(async () => {
        const { [key]: removed, ...others } = await read();
        if (removed !== undefined) await replace(others);
      }),
  };
}
