/**
 * References of columns to tables (docs/reference/values.md#references): setting and reading them, and what they
 * follow.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const id = (colName: string, more: object = {}) => ({ colName, type: 'varchar', fieldLength: 36, ...more });

interface Shown {
  readonly name: string;
  readonly columns: readonly { readonly colName: string; readonly references?: string }[];
}

async function schemas() {
  const { json } = await send(world, 'alice', 'GET', 'schemas');
  return { tables: valueAt(json, 'results') as Shown[], revision: Number(valueAt(json, 'revision')) };
}

const shownIn = (tables: readonly Shown[], prefix: string) =>
  tables
    .filter(({ name }) => name.startsWith(prefix))
    .flatMap(({ name, columns }) =>
      columns.flatMap((column) => ('references' in column ? [`${name}.${column.colName} → ${column.references}`] : [])),
    );

/** The references of tables with this prefix. */
const shown = async (prefix: string) => shownIn((await schemas()).tables, prefix);

async function change(changes: readonly object[], more: object = {}) {
  const { revision } = await schemas();
  return send(world, 'alice', 'POST', 'schemas/changes', { revision, changes, ...more });
}

/** @returns the id in the bin of what the first change dropped */
async function changed(...changes: readonly object[]): Promise<unknown> {
  const answer = await change(changes);
  assert.equal(answer.status, 200, answer.text);
  return valueAt(answer.json, 'results.changes.0.binId');
}

const hash = async () => valueAt((await send(world, 'alice', 'GET', 'schemas/info')).json, 'results.hash');

test('tables that are defined together refer to each other and to themselves, and nothing is enforced', async () => {
  const book = { name: 'DefBook', columns: [id('author', { references: 'DefAuthor' }), id('sequel')] };
  const author = { name: 'DefAuthor', columns: [id('favourite', { references: 'DefBook' }), id('teacher')] };
  Object.assign(author.columns[1]!, { references: 'DefAuthor' });
  await defineTables(world, 'alice', [book, author]);
  const all = ['DefBook.author → DefAuthor', 'DefAuthor.favourite → DefBook', 'DefAuthor.teacher → DefAuthor'];
  assert.deepEqual(await shown('Def'), all);
  const { tables, revision } = await schemas();
  assert.deepEqual(tables.find(({ name }) => name === 'DefBook')?.columns, [
    { colName: 'author', type: 'varchar', fieldLength: 36, references: 'DefAuthor' },
    { colName: 'sequel', type: 'varchar', fieldLength: 36 },
  ]);
  await addRecords(world, 'alice', 'DefBook', [{ author: 'nobody' }]);

  await defineTables(world, 'alice', tables);
  await defineTables(world, 'alice', [{ name: 'DefBook', columns: [id('author')] }]);
  assert.deepEqual([await shown('Def'), (await schemas()).revision], [all, revision]);
  await defineTables(world, 'alice', [{ name: 'DefBook', columns: [id('sequel', { references: 'DefBook' })] }]);
  assert.deepEqual(await shown('DefBook'), ['DefBook.author → DefAuthor', 'DefBook.sequel → DefBook']);
});

test('a change sets and clears one, and the hash of the definition differs', async () => {
  await defineTables(world, 'alice', [
    { name: 'SetBook', columns: [id('author')] },
    { name: 'SetAuthor', columns: [] },
  ]);
  const none = await hash();
  const set = { op: 'changeColumn', table: 'SetBook', column: 'author', references: 'SetAuthor' };
  const dry = await change([set], { dryRun: true });
  assert.deepEqual(shownIn(valueAt(dry.json, 'results.tables') as Shown[], 'Set'), ['SetBook.author → SetAuthor']);
  assert.equal(valueAt(dry.json, 'results.changes.0.rows'), 0);
  assert.deepEqual(await shown('Set'), []);
  await changed(set, {
    op: 'addColumn',
    table: 'SetBook',
    column: id('editor', { references: 'SetAuthor', required: true }),
  });
  assert.deepEqual(await shown('Set'), ['SetBook.author → SetAuthor', 'SetBook.editor → SetAuthor']);
  assert.notEqual(await hash(), none);
  await changed({ ...set, type: 'text' });
  assert.deepEqual(await shown('Set'), ['SetBook.author → SetAuthor', 'SetBook.editor → SetAuthor']);
  await changed({ ...set, references: null }, { op: 'dropColumn', table: 'SetBook', column: 'editor' });
  assert.deepEqual(await shown('Set'), []);
});

test('one follows its column and its table through renaming, dropping, restoring and another type', async () => {
  await defineTables(world, 'alice', [{ name: 'FolAuthor', columns: [] }]);
  await changed({
    op: 'addTable',
    table: 'FolBook',
    columns: [id('author', { references: 'FolAuthor' }), id('sequel', { references: 'FolBook' })],
  });
  await changed(
    { op: 'renameTable', table: 'FolAuthor', to: 'FolWriter' },
    { op: 'renameColumn', table: 'FolBook', column: 'author', to: 'writer' },
    { op: 'changeColumn', table: 'FolBook', column: 'writer', type: 'integer' },
  );
  const all = ['FolBook.writer → FolWriter', 'FolBook.sequel → FolBook'];
  assert.deepEqual(await shown('Fol'), all);

  const column = await changed({ op: 'dropColumn', table: 'FolBook', column: 'sequel' });
  const dropped = await changed({ op: 'dropTable', table: 'FolWriter' });
  assert.deepEqual(await shown('Fol'), []);
  await changed({ op: 'restore', id: dropped, as: 'FolAgain' }, { op: 'restore', id: column });
  assert.deepEqual(await shown('Fol'), ['FolBook.writer → FolAgain', 'FolBook.sequel → FolBook']);

  const gone = await changed({ op: 'dropTable', table: 'FolAgain' });
  await changed({ op: 'purge', id: gone }, { op: 'addTable', table: 'FolAgain', columns: [] });
  assert.deepEqual(await shown('Fol'), ['FolBook.sequel → FolBook']);
});

test('an unknown table, a system column and another reference are refused', async () => {
  await defineTables(world, 'alice', [
    { name: 'RefBook', columns: [id('author', { references: 'RefAuthor' })] },
    { name: 'RefAuthor', columns: [] },
  ]);
  await changed({ op: 'addTable', table: 'RefGone', columns: [] }, { op: 'dropTable', table: 'RefGone' });
  const refused = async (body: object, reason: RegExp) => {
    const { revision } = await schemas();
    const answer = await send(world, 'alice', 'POST', 'changes' in body ? 'schemas/changes' : 'schemas', {
      ...('changes' in body ? { revision } : {}),
      ...body,
    });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, reason);
    assert.equal((await schemas()).revision, revision);
  };
  const set = (references: unknown) => ({ op: 'changeColumn', table: 'RefBook', column: 'author', references });
  await refused(
    { changes: [set('RefAuthr')] },
    /changes\[0\]\.references.*no table \\"RefAuthr\\"; did you mean \\"RefAuthor\\"/,
  );
  await refused({ changes: [set('RefGone')] }, /no table \\"RefGone\\"/);
  await refused({ changes: [set(7)] }, /changes\[0\]\.references.*expected a name/);
  await refused({ changes: [set('')] }, /changes\[0\]\.references/);
  const column = id('new', { references: 'Nowhere' });
  await refused({ changes: [{ op: 'addColumn', table: 'RefBook', column }] }, /changes\[0\]\.column\.references/);
  await refused(
    { changes: [{ op: 'addTable', table: 'RefNew', columns: [column] }] },
    /changes\[0\]\.columns\[0\]\.references/,
  );
  await refused({ tables: [{ name: 'RefNew', columns: [column] }] }, /tables\[0\]\.columns\[0\]\.references/);
  const other = id('author', { references: 'RefBook' });
  await refused({ tables: [{ name: 'RefBook', columns: [other] }] }, /expected \\"RefAuthor\\".*got \\"RefBook\\"/);
  const system = { colName: 'createUserId', type: 'long', references: 'RefAuthor' };
  await refused({ tables: [{ name: 'RefBook', columns: [system] }] }, /createUserId is a system column/);
});
