/** Imports into a real service: each row of a file is written once, despite refusals and lost answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Refusal } from '../../console/api.ts';
import { identify } from '../../console/screens/records/import/identify.ts';
import { ImportJob } from '../../console/screens/records/import/job.ts';
import { checkRows, matchOf, targetsOf } from '../../console/screens/records/import/rows.ts';
import { sha256 } from '../../console/screens/records/import/sha256.ts';
import { readSource } from '../../console/screens/records/import/source.ts';
import { type Browser, type House, openHouse } from '../administration/house.ts';
import { makeCrm, posting } from './sample.ts';

const version = '/companies/1/applications/crm/versions/1.0.0';
/** An import begins with 500 rows at a time, so these are halved three times before they fit. */
const batchItemsMax = 70;

let house: House;
let root: Browser;
let tables = 0;

before(async () => {
  house = await openHouse({ batchItemsMax });
  root = await house.setUp('root');
  await makeCrm(posting(root));
});

after(async () => {
  await house?.close();
});

const columns = [
  { colName: 'title', type: 'varchar', fieldLength: 20, required: true as const },
  { colName: 'note', type: 'varchar', fieldLength: 20 },
];

async function makeTable(): Promise<string> {
  const name = `Task${++tables}`;
  await posting(root)(`${version}/tables`, { tables: [{ name, columns, indexes: [] }] });
  return name;
}

async function titlesIn(table: string): Promise<readonly unknown[]> {
  const answer = await posting(root)(`${version}/records/${table}/select`, {
    from: { phyName: table, alias: 'r' },
    select: [{ name: 'title', expression: { source: '#r.title' } }],
    orderBy: [{ column: '#r.title' }],
    range: { limit: 2_000 },
  });
  return (answer as { rows: { title: string }[] }).rows.map(({ title }) => title);
}

interface Given {
  /** The length of a title that passes the check in the console. */
  readonly titleMax?: number;
  /** Columns of the file that are not imported. */
  readonly without?: string;
  /** Numbers of the batches whose answer is lost, from 1; by default none. */
  readonly lost?: (batch: number) => boolean;
  readonly ownerId?: number;
}

const signal = new AbortController().signal;

/** Starts an import as the screen does. */
async function jobOf(table: string, text: string, given: Given = {}): Promise<ImportJob> {
  const { titleMax = 20, without, lost = () => false, ownerId = 1 } = given;
  const source = await readSource(text, signal);
  const description = { name: table, primary_key: 'objectId' as const, columns, indexes: [] };
  const match = matchOf(source.names, targetsOf(description)).map((name) => (name === without ? null : name));
  const checks = {
    valueFault: (_: string, value: unknown) => (String(value).length > titleMax ? 'too long' : null),
    required: 'required',
    flaws: { open: 'open', trailing: 'trailing', fields: 'fields', json: 'json' },
  };
  const { items, rejected } = await checkRows(description, source, match, checks, signal);
  let batches = 0;
  const add = async (transactionId: string, data: unknown[]) => {
    const operations = [{ op: 'add', objectName: table, data }];
    const { status, json } = await root.call('POST', `${version}/records/batch`, {
      transactionId,
      ownerId,
      operations,
    });
    const {
      errCode,
      description: message,
      results,
    } = json as { errCode: number; description: string; results: unknown };
    if (lost(++batches)) throw new Refusal('', null, 0);
    if (errCode !== 0) throw new Refusal(message, errCode, status, results);
  };
  return new ImportJob({ table, source, rows: await identify(items, source, ownerId, signal), rejected, add });
}

async function imported(...given: Parameters<typeof jobOf>) {
  const job = await jobOf(...given);
  await job.start();
  const { state, written, before, rejected } = job.progress.peek();
  return { state, written, before, rejected };
}

const titles = (count: number) => Array.from({ length: count }, (_, index) => `t${String(index).padStart(4, '0')}`);
const csvOf = (lines: readonly string[]) => ['title,note', ...lines.map((title) => `${title},x`), ''].join('\n');

test('batches that are too large are halved until they fit, and each row is written once', async () => {
  const table = await makeTable();
  assert.deepEqual(await imported(table, csvOf(titles(530))), { state: 'done', written: 530, before: 0, rejected: 0 });
  assert.deepEqual(await titlesIn(table), titles(530));
});

test('every second answer is lost, and an import continued after each writes every row once', async () => {
  const table = await makeTable();
  const lines = titles(330);
  const job = await jobOf(table, csvOf(lines.with(100, 'x'.repeat(21))), { lost: (batch) => batch % 2 === 1 });
  let stops = 0;
  for (await job.start(); job.progress.peek().state === 'stopped'; await job.start()) stops += 1;
  assert.ok(stops >= 5, `${stops} stops`);
  const { written, before, rejected } = job.progress.peek();
  assert.deepEqual({ written, before, rejected }, { written: 329, before: 0, rejected: 1 });
  assert.deepEqual(await titlesIn(table), lines.toSpliced(100, 1));
});

test('a file that is chosen again writes only missing rows, however it was corrected', async () => {
  const table = await makeTable();
  const lines = [...titles(90), 'alike', 'alike'];
  const tooLong = lines.with(40, 'a title of 18 char');
  const all = tooLong.length;
  assert.deepEqual(await imported(table, csvOf(tooLong), { titleMax: 10 }), {
    state: 'done',
    written: all - 1,
    before: 0,
    rejected: 1,
  });
  const again = async (written: number, text: string, given?: Given) =>
    assert.deepEqual(await imported(table, text, given), {
      state: 'done',
      written,
      before: text.trim().split(/[\r\n]+/).length - (text.startsWith('title') ? 1 : 0) - written,
      rejected: 0,
    });
  // The column was made longer.
  await again(1, csvOf(tooLong));
  // A row is new in the middle, another one is left out, and a spreadsheet has quoted all.
  const moved = lines.toSpliced(3, 1).toSpliced(20, 0, 'new');
  await again(
    2,
    csvOf(moved)
      .replace(/[^,\n]+/g, '"$&"')
      .replace('"title"', 'title'),
  );
  await again(0, csvOf(moved), { without: 'note' });
  assert.equal((await titlesIn(table)).length, all + 2);
  assert.equal((await titlesIn(table)).filter((title) => title === 'alike').length, 2);
  // The same rows for nobody else, but in another form.
  const objects = lines.slice(0, 3).map((title) => JSON.stringify({ title, note: 'y' }));
  await again(3, objects.join('\n'));
  await again(
    0,
    objects
      .map((line) => line.replace('{', '{"_error":"too long",'))
      .toReversed()
      .join('\r\n'),
  );
});

test('existing rows are written again on request, and the same row for another owner is another record', async () => {
  const table = await makeTable();
  await posting(root)('/companies/1/users', { account: 'bob', memberships: [{ groupId: 1, roleId: 5 }] });
  await imported(table, csvOf(['a', 'b']));
  const job = await jobOf(table, csvOf(['a', 'b', 'c']));
  await job.start();
  assert.equal(job.isRepeatable, true);
  await job.repeat();
  assert.equal(job.isRepeatable, false);
  assert.deepEqual([job.progress.peek().written, job.progress.peek().before], [3, 0]);
  assert.equal((await imported(table, csvOf(['a']), { ownerId: 2 })).written, 1);
  assert.deepEqual(await titlesIn(table), ['a', 'a', 'a', 'b', 'b', 'c']);
});

test('a row keeps its own objectId; existing records stay unchanged, and a second row with the same id is reported', async () => {
  const table = await makeTable();
  const text = ['objectId,title', ...titles(80).map((title) => `id-${title},${title}`), 'id-t0001,other', ''].join(
    '\n',
  );
  const job = await jobOf(table, text);
  await job.start();
  assert.deepEqual([job.progress.peek().written, job.progress.peek().rejected], [80, 1]);
  assert.match(
    job.rejectedFile().parts.join(''),
    /^_error,objectId,title\r\nobjectId: a record [^,]*,id-t0001,other\r\n$/,
  );
  const { before, written } = await imported(table, text);
  assert.deepEqual([before, written], [81, 0]);
  assert.deepEqual(await titlesIn(table), titles(80));
});

test('the digest is SHA-256 for texts of any length', async () => {
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1_000]) {
    const text = '日é\u{1f600}a'.repeat(length).slice(0, length).toWellFormed();
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
    assert.equal(sha256(text), Buffer.from(bytes).toString('hex'), `${length} characters`);
  }
});
