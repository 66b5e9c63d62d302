/** A killed move continues where it stopped, from SQLite to PostgreSQL and from PostgreSQL to SQLite. */
import { test } from 'node:test';
import { type Engine, makeStorage } from '../../../lab/machine/scratch.ts';
import { serverUrl } from '../../engines/server.ts';
import { fillHouse, moved } from '../house.ts';
import { assertGoesOn } from '../interruptions.ts';

test('a killed move continues where it stopped, whatever the engines', async (t) => {
  const place = async (engine: Engine) => {
    const scratch = await makeStorage(engine, serverUrl);
    t.after(() => scratch.remove());
    return scratch;
  };
  const [folder, database] = [await place('sqlite'), await place('postgres')];
  await fillHouse(folder);
  await assertGoesOn(folder, () => place('postgres'));
  await moved(folder, database);
  await assertGoesOn(database, () => place('sqlite'));
});
