/** The acceptance of `npm run chinook` on a small made-up store: every question, the comparison itself, and the command. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { ask } from '../../lab/questions/chinook/ask.ts';
import { loadStore } from '../../lab/questions/chinook/load.ts';
import { questions } from '../../lab/questions/chinook/questions.ts';
import { openReference, type Reference } from '../../lab/questions/chinook/reference.ts';
import { type Service, startService } from '../../lab/questions/chinook/service.ts';
import { readStore, rowCount, type Store } from '../../lab/questions/chinook/store.ts';
import { tableNames } from '../../lab/questions/chinook/tables.ts';
import { engine } from '../engines/engine.ts';
import { makeScratch, type Scratch } from '../engines/scratch.ts';
import { generatedStore } from './generated-store.ts';

const seed = 20_210_101;
const store = generatedStore(seed);
const command = join(import.meta.dirname, '../../lab/questions/chinook/main.ts');

suite(`a store made from seed ${seed}`, () => {
  let scratch: Scratch;
  let service: Service;
  let reference: Reference;

  before(async () => {
    reference = openReference(store);
    scratch = await makeScratch();
    service = await startService(scratch.settings);
    const progress: string[] = [];
    const loaded = await loadStore(service, store, (table, added, of) => progress.push(`${table} ${added}/${of}`));
    assert.equal(loaded.rows, rowCount(store));
    assert.deepEqual(
      progress,
      tableNames.map((table) => `${table} ${store[table].length}/${store[table].length}`),
    );
  });
  after(async () => {
    await service.close();
    await scratch.remove();
    reference.close();
  });

  for (const question of questions) {
    test(question.name, async () => {
      const findings = await ask(service, question, reference.answer(question));
      const forms = findings.map(({ form }) => form);
      assert.deepEqual(forms, ['expression', 'count', ...(question.older === undefined ? [] : ['older'])]);
      for (const { form, difference } of findings) assert.equal(difference, null, form);
    });
  }

  test('a value, an order, a row or a count that differs is told', async () => {
    const [longest] = questions;
    assert.ok(longest?.older !== undefined);
    const right = reference.answer(longest);
    const [tracks, ...others] = right.arrays;
    assert.ok(tracks?.[0] !== undefined && tracks[1] !== undefined);
    const wrong = {
      value: [{ ...tracks[0], UnitPrice: '0.98' }, ...tracks.slice(1)],
      order: [tracks[1], tracks[0], ...tracks.slice(2)],
      more: tracks.slice(1),
      fewer: [...tracks, tracks[0]],
    };
    for (const [what, rows] of Object.entries(wrong)) {
      const [inExpressions, count, inOlderForm] = await ask(service, longest, { ...right, arrays: [rows, ...others] });
      assert.notEqual(inExpressions?.difference, null, what);
      assert.equal(count?.difference, null, what);
      assert.notEqual(inOlderForm?.difference, null, what);
    }
    const [, count, inOlderForm] = await ask(service, longest, { ...right, count: right.count + 1 });
    assert.match(count?.difference ?? '', /the count/);
    assert.match(inOlderForm?.difference ?? '', /counter/);
  });

  test('an answer without rows proves nothing, and is told', async () => {
    const [longest] = questions;
    assert.ok(longest !== undefined);
    const nothing: typeof longest = {
      ...longest,
      expression: {
        ...longest.expression,
        where: { expression: { source: '#track.Milliseconds < 0', params: [] } },
      },
    };
    const findings = await ask(service, nothing, { arrays: [[], [], []], count: 0 });
    const [inExpressions, count] = findings.map(({ difference }) => difference);
    assert.match(inExpressions ?? '', /no rows/);
    assert.match(count ?? '', /no rows/);
  });
});

test('the command loads a folder, prints what it found and exits by it', async (t) => {
  const [whole, withoutInvoices] = [await folderFor(t), await folderFor(t)];
  await writeStore(whole, store);
  await writeStore(withoutInvoices, { ...store, Invoice: [] });
  const [{ status, output, errors }, different] = await Promise.all([run(whole, engine), run(withoutInvoices, engine)]);

  assert.equal(status, 0, output + errors);
  assert.match(output, /PlaylistTrack +300 of 300 rows/);
  assert.match(output, new RegExp(`${rowCount(store)} rows loaded in \\d+ ms: \\d+ rows per second`));
  for (const { name } of questions) assert.ok(output.includes(name), name);
  assert.match(output, /^20 longest .* older +20 +[\d.]+ +yes$/m);

  assert.equal(different.status, 1);
  assert.match(different.output, /^invoices over .* NO$/m);
  assert.match(different.output, /^invoices over .* \(older\): The reference has no rows to compare with\.$/m);
  assert.match(different.output, /^20 longest .* yes$/m);
});

test('the command says what is missing', async (t) => {
  const { status, errors } = await run();
  assert.equal(status, 1);
  assert.match(errors, /The folder with the data is missing\.\nUsage: npm run chinook -- <folder>/);

  const folder = await folderFor(t);
  assert.throws(() => readStore(join(folder, 'nowhere')), /There is no folder ".*nowhere"; the one with the Chinook/);
  assert.throws(
    () => readStore(folder),
    /Artist\.jsonl can't be read; the folder has to hold Artist\.jsonl, Album\.jsonl/,
  );
  await writeStore(folder, store);
  await writeFile(join(folder, 'Genre.jsonl'), '{"GenreId": 1, "Name": "Rock"}\nJazz\n');
  assert.throws(() => readStore(folder), /Genre\.jsonl, line 2: a JSON object was expected/);
});

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowhouse-small-store-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function writeStore(folder: string, tables: Store): Promise<void> {
  for (const table of tableNames) {
    const lines = tables[table].map((row) => `${JSON.stringify(row)}\n`);
    await writeFile(join(folder, `${table}.jsonl`), lines.join(''));
  }
}

interface Ended {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

function run(...values: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [command, ...values], (error, output, errors) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, output, errors });
      else reject(error);
    });
  });
}
