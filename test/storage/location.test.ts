/** Reads the setting `storage`, and never shows the password in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLocation, redactedLocation } from '../../src/storage/location.ts';

test('the beginning of the setting names the engine', () => {
  assert.deepEqual(parseLocation('sqlite:./data'), { engine: 'sqlite', folder: './data' });
  assert.deepEqual(parseLocation('sqlite:C:/data'), { engine: 'sqlite', folder: 'C:/data' });
  for (const url of ['postgres://a:b@c:5432/d', 'postgresql:///d']) {
    assert.deepEqual(parseLocation(url), { engine: 'postgres', url });
  }
});

test('a setting without an engine is refused, without quoting a possible password', () => {
  assert.throws(() => parseLocation('sqlite:'), /expected "sqlite:<folder>", got "sqlite:" without a folder/);
  for (const storage of ['mysql://a:hush@b/c', 'postgres:a:hush@b']) {
    assert.throws(
      () => parseLocation(storage),
      ({ message }: Error) => {
        assert.match(message, /^storage: expected "sqlite:<folder>" or "postgres:.*, got the engine "\w+"/);
        return !message.includes('hush');
      },
    );
  }
});

test('a location is shown without user and password', () => {
  const shown = (storage: string) => redactedLocation(parseLocation(storage));
  assert.equal(shown('sqlite:./data'), './data');
  assert.equal(shown('postgres://user:hush@db.example.com:5433/rowhouse'), 'postgres://db.example.com:5433/rowhouse');
  assert.equal(shown('postgres://me:hush@db1,db2:5433/rowhouse'), 'postgres://db1,db2:5433/rowhouse');
  assert.equal(shown('postgresql://db/rowhouse?password=hush&user=me'), 'postgres://db/rowhouse');
  assert.equal(shown('postgres://user:hu@sh@db/rowhouse'), 'a PostgreSQL server');
  assert.equal(shown('postgres://user:1/hush@db/rowhouse'), 'a PostgreSQL server');
  assert.equal(shown('postgres://user:hush@:port/'), 'a PostgreSQL server');
});
