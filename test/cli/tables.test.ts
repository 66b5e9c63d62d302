/** `rowhouse tables`, as typed, against a running service: a file is pulled, edited, compared and pushed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { addRecords, getRecord, send } from '../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../harness/world.ts';

interface File {
  tables: {
    name: string;
    was?: string;
    lockFree?: boolean;
    columns: Record<string, unknown>[];
    indexes: { columns: string[]; unique: boolean }[];
  }[];
}

const book = {
  name: 'Book',
  columns: [
    { colName: 'titel', type: 'varchar', fieldLength: 50 },
    { colName: 'pages', type: 'integer' },
    { colName: 'notes', type: 'text' },
  ],
  indexes: [{ columns: ['titel'], unique: false }],
};

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'rowhouse-tables-'));
const path = join(folder, 'tables.json');
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
});
after(async () => {
  rmSync(folder, { recursive: true });
  await world.close();
});
beforeEach(async () => {
  await send(world, 'alice', 'POST', 'schemas', { tables: [book], isResetDatabase: true });
  await type('pull');
});

async function type(words: string, who: Who = 'alice', more: Record<string, string> = {}) {
  const [out, error]: [string[], string[]] = [[], []];
  const where = `--url ${world.server.url} --company 1 --app ${app.appId} --version ${app.appVersion} --file ${path}`;
  const status = await run(['tables', ...words.split(' '), ...where.split(' ')], {
    variables: { ROWHOUSE_TOKEN: world.token(who), ...more },
    isTerminal: false,
    out: (text) => void out.push(text),
    error: (text) => void error.push(text),
  });
  return { status, out: out.join('\n'), error: error.join('\n') };
}

const read = (): File => JSON.parse(readFileSync(path, 'utf8'));

function edit(change: (file: File) => void): void {
  const file = read();
  change(file);
  writeFileSync(path, JSON.stringify(file));
}

const column = (file: File, name: string) =>
  file.tables[0]?.columns.find(({ colName }) => colName === name) ?? assert.fail(`There is no ${name}.`);

test('a pulled file is identical, has one line per column, and can be pushed again', async () => {
  assert.match(readFileSync(path, 'utf8'), /^ {8}\{ "colName": "titel", "type": "varchar", "fieldLength": 50 \},$/m);
  assert.deepEqual(await type('diff'), { status: 0, out: 'The tables match the file.', error: '' });
  assert.deepEqual(await type('push'), { status: 0, out: 'The tables match the file.', error: '' });
});

test('a file with every kind of difference is pushed, and then there is no difference', async () => {
  await addRecords(world, 'alice', 'Book', [{ objectId: 'b1', titel: 'Solaris', pages: '200', notes: 'x' }]);
  edit((file) => {
    Object.assign(column(file, 'titel'), { colName: 'title', was: 'titel', fieldLength: 80 });
    Object.assign(column(file, 'pages'), { type: 'long', required: true, default: '0' });
    const [table] = file.tables as [File['tables'][number]];
    table.name = 'Volume';
    table.was = 'Book';
    table.lockFree = true;
    table.columns.push({ colName: 'isbn', type: 'varchar', fieldLength: 20 });
    table.indexes = [
      { columns: ['title'], unique: true },
      { columns: ['isbn', 'pages'], unique: false },
    ];
    file.tables.push({ name: 'Author', columns: [{ colName: 'name', type: 'text' }], indexes: [] });
  });
  const diff = await type('diff');
  assert.equal(diff.status, 1);
  assert.deepEqual(diff.out.split('\n').sort(), [
    '+ Volume.isbn varchar 20',
    '+ index of Volume (isbn, pages)',
    '+ index of Volume (title), unique',
    '+ table Author',
    '- index of Volume (titel)',
    '~ Volume.pages: type "long", required true, default "0"',
    '~ Volume.titel → title',
    '~ Volume.title: type "varchar", fieldLength 80',
    '~ table Book → Volume',
    '~ table Volume: lockFree true',
  ]);
  const dry = await type('push --dry-run');
  assert.equal(dry.status, 0, dry.error);
  assert.equal((await type('diff')).status, 1);
  const pushed = await type('push');
  assert.deepEqual([pushed.status, pushed.error], [0, '']);
  assert.match(pushed.out, /^10 changes made; the tables have revision \d+\.$/);
  assert.equal((await type('diff')).status, 0);
  const record = await getRecord(world, 'alice', 'Volume', 'b1');
  assert.deepEqual([record.title, record.pages, record.notes, record.isbn], ['Solaris', '200', 'x', null]);
});

test('a dry run says what it could not check', async () => {
  await addRecords(world, 'alice', 'Book', [{ titel: '7', scopeType: '3' }]);
  edit(({ tables: [table] }) => {
    table!.columns[0] = { colName: 'titel', type: 'long' };
    table!.indexes = [{ columns: ['titel'], unique: true }];
  });
  const { out } = await type('push --dry-run');
  const told = '1 record read, about 1 s';
  assert.deepEqual(out.split('\n'), [
    '- index of Book (titel)',
    `~ Book.titel: type "long"  (${told})`,
    `+ index of Book (titel), unique  (${told}; not fully checked: may still be refused because of the records)`,
  ]);
});

test('references are pulled and pushed, also between new tables and to a renamed one', async () => {
  edit(({ tables }) => {
    tables[0]!.columns.push({ colName: 'author', type: 'varchar', fieldLength: 36, references: 'Author' });
    const agent = { colName: 'agent', type: 'text', references: 'Agent' };
    const client = { colName: 'client', type: 'text', references: 'Author' };
    tables.push({ name: 'Author', columns: [agent], indexes: [] }, { name: 'Agent', columns: [client], indexes: [] });
  });
  const { out } = await type('diff');
  assert.deepEqual(out.split('\n'), [
    '+ table Author',
    '+ table Agent',
    '~ Author.agent: references "Agent"',
    '+ Book.author varchar 36, references Author',
  ]);
  assert.equal((await type('push')).status, 0);
  assert.equal((await type('diff')).status, 0);

  edit(({ tables }) => {
    Object.assign(tables[1]!, { name: 'Writer', was: 'Author' });
    delete tables[0]!.columns.at(-1)?.references;
    tables[2]!.columns[0]!.references = 'Writer';
  });
  assert.equal((await type('diff')).out, '~ table Author → Writer\n~ Book.author: references null');
  assert.equal((await type('push')).status, 0);
  await type('pull');
  const references = read().tables.flatMap(({ columns }) => columns.map((each) => each.references ?? ''));
  assert.deepEqual(references.filter(Boolean).sort(), ['Agent', 'Writer']);

  edit(({ tables }) => {
    tables[0]!.columns[0]!.references = 'Writr';
  });
  assert.match((await type('diff')).error, /columns\[0\]\.references.*no table "Writr"; did you mean "Writer"/);
});

test('full text is pulled and pushed, added to a column and removed', async () => {
  edit(({ tables }) => {
    Object.assign(tables[0]!.columns[0]!, { fullText: true });
    tables[0]!.columns.push({ colName: 'summary', type: 'text', fullText: true });
  });
  const column = read().tables[0]!.columns[0]!.colName;
  const { out } = await type('diff');
  assert.deepEqual(out.split('\n'), ['+ Book.summary text, full text', `~ Book.${column}: fullText true`]);
  assert.equal((await type('push')).status, 0);
  assert.equal((await type('diff')).status, 0);
  edit(({ tables }) => {
    Object.assign(tables[0]!.columns[0]!, { fullText: false });
  });
  assert.equal((await type('diff')).out, `~ Book.${column}: fullText false`);
  assert.equal((await type('push')).status, 0);
  await type('pull');
  const searched = read().tables[0]!.columns.filter((each) => 'fullText' in each);
  assert.deepEqual(
    searched.map(({ colName }) => colName),
    ['summary'],
  );
});

test('drops need --yes, and report what goes to the bin', async () => {
  await addRecords(world, 'alice', 'Book', [{ objectId: 'b1', titel: 'Solaris', pages: '200', notes: 'x' }]);
  edit((file) => {
    file.tables[0]!.columns = file.tables[0]!.columns.filter(({ colName }) => colName !== 'notes');
  });
  const asked = await type('push');
  assert.equal(asked.status, 1);
  assert.match(asked.error, /Something would be dropped: - Book\.notes {2}\(1 value go to the bin.* Use --yes/);
  assert.equal((await getRecord(world, 'alice', 'Book', 'b1')).notes, 'x');
  const json = await type('push --yes --json');
  assert.equal(json.status, 0, json.error);
  const { binId } = JSON.parse(json.out).changes[0];
  assert.equal('notes' in (await getRecord(world, 'alice', 'Book', 'b1')), false);
  const { revision } = JSON.parse(json.out);
  const changes = [{ op: 'restore', id: binId }];
  await send(world, 'alice', 'POST', 'schemas/changes', { revision, changes });
  assert.equal((await getRecord(world, 'alice', 'Book', 'b1')).notes, 'x');
});

test('impossible changes are refused with a reason, and nothing is changed', async () => {
  const refused = async (words: string, reason: RegExp, who?: Who, more?: Record<string, string>) => {
    const { status, error } = await type(words, who, more);
    assert.notEqual(status, 0);
    assert.match(error, reason);
  };
  await refused('diff', /answered 122: /, 'bob');
  await refused('diff', /ROWHOUSE_TOKEN: expected the token .* got none/, 'alice', { ROWHOUSE_TOKEN: '' });
  await refused('diff', /answered 121: /, 'alice', { ROWHOUSE_TOKEN: 'unknown' });
  await refused('diff --url ftp://x', /--url/);
  const good = readFileSync(path, 'utf8');
  writeFileSync(path, '{');
  await refused('diff', /expected a file of tables/);
  writeFileSync(path, good.replace('"integer"', '"intger"'));
  await refused('diff', /tables\[0\]\.columns\[1\]\.type.*[Dd]id you mean "integer"/);
  writeFileSync(path, good.replace('"columns"', '"colums"'));
  await refused('diff', /There is no member "colums"/);
  writeFileSync(path, good.replace('"pages"', '"titel"'));
  await refused('diff', /is defined twice/);
  rmSync(path);
  await refused('push', /"rowhouse tables pull" makes it/);
  await type('pull');
  assert.equal(readFileSync(path, 'utf8'), good);
});
