/**
 * The code with which each operation answers a fault without its own code
 * (docs/reference/codes.md#where-no-listed-code-fits).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOf } from '../../src/http/api/operations.ts';

/** malformed, missing, no such table, forbidden, busy, too many, internal. */
const general = '131 131 102 122 210 131 131';
const codes: Record<string, string> = {
  query: '132 198 102 122 212 131 212',
  expressionQuery: '132 198 102 122 212 131 212',
  select: '132 198 102 122 212 131 212',
  count: '132 198 102 122 212 131 212',
  getRecord: '198 198 102 122 212 131 212',
  deleteData: '198 198 202 122 210 131 220',
  registerDevice: '131 131 102 122 206 201 206',
  getLogLevel: '131 131 102 122 131 131 131',
  sendLog: '131 131 102 122 131 131 131',
  listRoles: '132 131 102 122 132 131 131',
};
for (const name of ['listGroups', 'getGroup', 'listUsers', 'getUser']) codes[name] = '131 131 102 122 212 131 131';

test('every client operation answers each fault with its own code', () => {
  for (const { name, tag, faults } of operationsOf('client')) {
    const { malformed, missing, noTable, forbidden, busy, tooMany, internal } = faults;
    const answered = [malformed, missing, noTable, forbidden, busy, tooMany, internal].join(' ');
    const expected = codes[name] ?? (tag === 'sign-in' || tag === 'sessions' ? '198 198 102 122 201 201 201' : general);
    assert.equal(answered, expected, `${name} (${tag})`);
  }
});

test('the administration answers a failed read with 212, and a failed sign-in with 201', () => {
  for (const { name, tag, method, permission, faults } of operationsOf('administration')) {
    const { malformed, missing, noTable, forbidden, tooMany, busy, internal } = faults;
    assert.deepEqual([malformed, missing, noTable, forbidden], [131, 131, 102, 122], name);
    const reads = method === 'GET' || permission === 'record.read' || permission === 'record.browse';
    const expected =
      tag === 'sign-in' && method !== 'GET' ? [201, 201, 201] : reads ? [212, 131, 212] : [210, 131, 131];
    assert.deepEqual([busy, tooMany, internal], expected, `${name} (${tag})`);
  }
});
