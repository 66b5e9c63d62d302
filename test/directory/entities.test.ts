/** Descriptions of entities: they match the database, and a column needs no code besides its description. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, flagsOf, inputOf } from '../../src/cli/entities.ts';
import { rowsOf } from '../../src/directory/rows.ts';
import { type Entity, entity, isText, sqlName, storedColumns } from '../../src/entities/entity.ts';
import { administrator, group, role, user } from '../../src/entities/people.ts';
import { client, provider } from '../../src/entities/providers.ts';
import { application, company, version } from '../../src/entities/tenants.ts';
import { answersOf } from '../../src/http/api/lists.ts';
import { operationsOn } from '../../src/operations/entities.ts';
import { directoryTables } from '../../src/storage/transfer-tables.ts';
import { scratch } from './scratch.ts';

const entities: readonly Entity[] = [company, application, version, group, role, user, administrator, provider, client];

test('a description has the columns that the database has, each with its type', async (t) => {
  const { directory, storage } = await scratch(t);
  await directory.applications.create({ companyId: 1, appId: 'shop' });
  await directory.versions.create({ companyId: 1, appId: 'shop', version: '1.0.0' });
  await directory.users.create({ companyId: 1, account: 'ann' });
  const providerName = 'idp';
  const newProvider = { issuer: 'https://idp.example.com' };
  const redirectUri = 'https://app.example.com/back';
  const registered = { companyId: 1, appId: 'shop', providerName, newProvider };
  await directory.clients.create({ ...registered, clientId: 'shop', secretSealed: null, redirectUri });
  const { build } = storage.directory;
  await storage.directory.write([build.insertInto('administrator').values({ account: 'root', created: 1 })]);
  for (const one of entities) {
    const query = storage.directory.build.selectFrom(one.table as 'application').selectAll();
    const [row = {}] = await storage.directory.read<Readonly<Record<string, unknown>>>(query);
    const columns = storedColumns(one).map(([field, column]) => [sqlName(field, column), column] as const);
    assert.deepEqual(columns.map(([name]) => name).sort(), Object.keys(row).sort(), one.table);
    for (const [name, column] of columns) {
      const type = row[name] === null && column.nullable ? 'null' : isText(column) ? 'string' : 'number';
      assert.equal(row[name] === null ? 'null' : typeof row[name], type, `${one.table}.${name}`);
    }
  }
});

/** All that a new column needs: this, and a migration for each engine. */
const withPage = entity({
  ...application,
  columns: {
    ...application.columns,
    supportPage: {
      type: 'text',
      default: '',
      meaning: 'Where its users find help.',
      given: true,
      sorts: true,
      filters: 'page',
      searches: true,
      flag: { placeholder: '<address>', add: 'Where its users find help.', update: 'The new page.' },
      heading: 'support',
    },
  },
});

test('a described column is written, read, listed, returned, accepted and a flag, without further code', () => {
  const rows = rowsOf(withPage);
  const page = 'https://example.com/help';
  assert.deepEqual(rows.changed({ supportPage: ` ${page} ` }), { support_page: page });
  assert.throws(() => rows.changed({ supportPage: 'a\0b' }), /supportPage: expected text without control characters/);
  assert.equal(
    rows.read({ support_page: page, account_policy: 'refuse', record_access: 'none' } as never).supportPage,
    page,
  );
  const { column, sortable, filterable, searchable } = rows.fields.supportPage ?? {};
  assert.deepEqual([column, sortable, filterable, searchable], ['support_page', true, true, true]);

  const { one, adding, changing, list } = operationsOn(withPage);
  assert.ok('supportPage' in one.properties);
  assert.ok('supportPage' in adding && 'supportPage' in changing);
  assert.ok('supportPage' in list({}).query.properties);
  const { toResponse } = answersOf(withPage, { zone: 'UTC' });
  assert.equal(toResponse({ supportPage: page, created: 0 }).supportPage, page);

  assert.ok('supportPage' in flagsOf(withPage, 'add'));
  assert.deepEqual(inputOf(withPage, 'update', { supportPage: page }), { supportPage: page });
  assert.equal(cellsOf(withPage, { supportPage: page }).support, page);
});

test('a move copies every column of an entity', () => {
  for (const one of entities) {
    const moved = directoryTables.find(({ name }) => name === one.table)?.columns.map(({ name }) => name);
    assert.deepEqual(
      moved,
      storedColumns(one).map(([field, column]) => sqlName(field, column)),
    );
  }
});
