/**
 * The OpenAPI descriptions: accepted by a linter, with a valid example for each operation, and with the bounds of the
 * settings.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Check } from 'typebox/schema';
import { defaults } from '../../src/config.ts';
import { operations } from '../../src/http/api/operations.ts';
import { tenantOpenApi } from '../../src/http/tenant-openapi.ts';
import { bodyExample } from '../../src/operations/examples.ts';
import { openApi } from '../../src/operations/openapi.ts';
import { read } from '../../src/operations/read.ts';
import { refuseUnknown } from '../../src/operations/strict.ts';
import type { Table } from '../../src/schema/model.ts';
import { systemColumns } from '../../src/schema/system.ts';
import { tableFrom } from '../../src/schema/table.ts';
import { valueAt } from '../harness/match.ts';
import { atOnce } from '../harness/steps.ts';

interface Problem {
  readonly severity: string;
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** https://redocly.com/docs/cli: its rules, without its command line. */
interface Redocly {
  createConfig(rules: object): Promise<object>;
  lintFromString(input: { source: string; absoluteRef: string; config: object }): Promise<Problem[]>;
}
const linter = createRequire(import.meta.url)('@redocly/openapi-core') as Redocly;

const settings = { ...defaults, publicUrl: 'https://data.rowhouse.test' };
const table: Table = tableFrom({
  id: 1,
  name: 'Book',
  columns: [
    ...systemColumns(),
    ...(['varchar', 'text', 'integer', 'long', 'double', 'decimal', 'bool', 'datetime', 'json'] as const).map(
      (kind) => ({
        name: `a_${kind}`,
        type: { kind, length: 50, precision: 12, scale: 2 },
        required: kind === 'text',
        system: false,
      }),
    ),
  ] as Table['columns'],
  indexes: [
    { number: 0, unique: true, columns: ['a_varchar', 'a_integer'] },
    { number: 1, unique: true, columns: ['createUserId'] },
    { number: 2, unique: false, columns: ['a_long'] },
  ],
  lockFree: false,
});
const described = (tables: readonly Table[]) =>
  atOnce(tenantOpenApi('https://data.rowhouse.test/api/1/crm/1_0_0', tables, settings, '1'));
const tenant = described([table, { ...table, name: 'Author' }]);
const documents = {
  'of clients': openApi('client', operations, settings, '1'),
  'of administration': openApi('administration', operations, settings, '1'),
  'of a version with tables': tenant,
  'of a version without tables': described([]),
};

test('a linter finds no fault in them, nor an example that its schema refuses', async (t) => {
  const config = await linter.createConfig({ extends: ['recommended-strict'] });
  const findings = async (document: object) =>
    (await linter.lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })).map(
      ({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`,
    );
  for (const [name, document] of Object.entries(documents)) {
    await t.test(name, async () => assert.deepEqual(await findings(document), []));
  }
  const broken = structuredClone(documents['of clients']) as { paths: Record<string, Record<string, object>> };
  const [methods] = Object.values(broken.paths);
  for (const operation of Object.values(methods ?? {})) delete (operation as { security?: unknown }).security;
  assert.match((await findings(broken)).join(), /security-defined/);
});

test('the example of each body is accepted unchanged, even under strict handling', () => {
  for (const { name, body } of operations) {
    if (body === null) continue;
    const example = bodyExample({ name, body });
    refuseUnknown(body, example, 'member');
    assert.deepEqual(read(body, example), example, name);
  }
});

test('every operation has a described tag, and examples; bounds have the value of their setting', () => {
  for (const document of [documents['of clients'], documents['of administration']]) {
    assert.ok(!JSON.stringify(document).includes('x-bounded-by'));
    const tags = (valueAt(document, 'tags') as { name: string }[]).map(({ name }) => name);
    for (const methods of Object.values(valueAt(document, 'paths') as Record<string, Record<string, object>>)) {
      for (const operation of Object.values(methods)) {
        assert.ok(tags.includes(String(valueAt(operation, 'tags.0'))));
        const answers = Object.values(valueAt(operation, 'responses') as Record<string, { content: object }>);
        for (const { content } of answers) {
          for (const [type, body] of Object.entries(content)) assert.ok(!type.includes('json') || 'example' in body);
        }
      }
    }
  }
  const few = openApi('client', operations, { ...settings, batchItemsMax: 7, maxRecordMax: 8 }, '1');
  const body = (path: string) =>
    valueAt(few.paths[`/api/{companyId}/{appId}/{appVersion}/data/${path}`], 'post.requestBody.content');
  assert.match(JSON.stringify(body('batch/addData')), /"maxItems":7/);
  assert.match(JSON.stringify(body('query')), /"maxRecord":\{[^}]*"maximum":8/);
});

test('an integer has the format int64 if it may need more than 32 bits, so that generated clients can hold it', () => {
  const integers: { readonly maximum?: number; readonly format?: string }[] = [];
  const collect = (value: object | null) => {
    if (valueAt(value, 'type') === 'integer') integers.push(value as object);
    for (const member of Object.values(value ?? {})) if (typeof member === 'object') collect(member);
  };
  for (const document of Object.values(documents)) collect(document);
  const isLarge = ({ maximum = 0 }) => maximum >= 2 ** 31;
  assert.ok(integers.some(isLarge));
  assert.deepEqual(
    integers.filter((one) => isLarge(one) && one.format !== 'int64'),
    [],
  );
});

test('names that may be a text or an array are described as an array, which all generators support', () => {
  const path = '/api/{companyId}/{appId}/{appVersion}/data/query';
  const { objectNames } = valueAt(
    documents['of clients'].paths[path]?.post?.requestBody?.content,
    'application/json.schema.properties',
  ) as { readonly objectNames: object };
  assert.deepEqual(objectNames, {
    description: 'Tables of the query; a single one may be given as a plain string.',
    type: 'array',
    items: { type: 'string' },
  });
});

test('the answer with the provider’s address names its header', () => {
  const path = '/api/{companyId}/{appId}/{appVersion}/auth/oidc/{provider}/Authenticate';
  const responses = documents['of clients'].paths[path]?.get?.responses;
  for (const status of [200, 302]) assert.match(JSON.stringify(responses?.[status]), /"headers":\{"Location":\{/);
});

test('the records of a table are typed, with the columns required to add one', () => {
  const schema = (kind: string) => (valueAt(tenant, 'components.schemas') as Record<string, object>)[`Book.${kind}`];
  assert.deepEqual(valueAt(schema('add'), 'required'), ['a_text']);
  assert.deepEqual(valueAt(schema('update'), 'required'), ['objectId', 'serverUpdateTime']);
  assert.deepEqual(valueAt(schema('add'), 'properties.a_varchar'), {
    type: ['string', 'null'],
    maxLength: 50,
    description: 'varchar(50)',
  });
  assert.deepEqual(valueAt(schema('record'), 'properties.a_integer.type'), ['string', 'null']);
});

test('the bodies of puts and batches are typed by the tables', () => {
  const isTakenBy = (path: string, body: unknown) => {
    const schema = valueAt(tenant, `paths./data/${path}.post.requestBody.content.application/json.schema`) as object;
    return Check({ ...schema, components: valueAt(tenant, 'components') }, body);
  };
  const lock = { objectId: 'b1', serverUpdateTime: '2026-11-22T20:00:00.000Z' };
  const book = (data: object, more: object = {}) => ({ objectName: 'Book', data: [data], ...more });
  for (const [isTaken, body] of [
    [true, book({ objectId: 'b1', a_integer: 7 })],
    [true, book({ a_varchar: 'x', a_integer: 7 }, { by: ['a_varchar', 'a_integer'], transactionId: 't' })],
    [false, book({ a_varchar: 'x' })],
    [false, book({ objectId: 'b1', a_integer: [7] })],
    [false, book({ objectId: 'b1', another: 7 })],
    [false, book({ objectId: 'b1' }, { objectName: 'Bok' })],
  ] as const) {
    assert.equal(isTakenBy('batch/putData', body), isTaken, JSON.stringify(body));
  }
  for (const [isTaken, operation] of [
    [true, book({ a_text: 'x' }, { op: 'add' })],
    [true, book({ ...lock, a_long: '7' }, { op: 'update' })],
    [true, book({ a_varchar: 'x', a_integer: 7 }, { op: 'put', by: ['a_varchar', 'a_integer'] })],
    [true, book(lock, { op: 'delete', objectName: 'Author' })],
    [false, book({ a_long: 7 }, { op: 'add' })],
    [false, book({ a_text: 'x' }, { op: 'update' })],
    [false, book({ a_text: 'x' }, { op: 'add', by: ['a_text'] })],
    [false, book({ a_text: 'x' }, { op: 'delete' })],
    [false, book({ a_text: 'x' }, { op: 'add', objectName: 'Bok' })],
  ] as const) {
    assert.equal(isTakenBy('batch', { operations: [operation] }), isTaken, JSON.stringify(operation));
  }
});
