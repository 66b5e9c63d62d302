/** The storage engine of this test run: `ROWHOUSE_TEST_ENGINE`, SQLite by default. */
import type { Engine } from '../../lab/machine/scratch.ts';

export const engine: Engine = chosen(process.env.ROWHOUSE_TEST_ENGINE ?? 'sqlite');

function chosen(name: string): Engine {
  if (name !== 'sqlite' && name !== 'postgres') {
    throw new Error(`ROWHOUSE_TEST_ENGINE: expected sqlite or postgres, got "${name}".`);
  }
  return name;
}
