/** Which servers are refused, and the remedy for the operator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenGuarantee } from '../../../src/storage/postgres/guarantees.ts';

test('a server that can give every guarantee is accepted', () => {
  for (const commit of ['on', 'remote_apply']) assert.equal(brokenGuarantee(['150000', 'UTF8', commit]), null);
});

test('any other one is refused, with a remedy', () => {
  const refused = [
    [['140999', 'UTF8', 'on'], /15 or newer/, /Upgrade/],
    [['170002', 'SQL_ASCII', 'on'], /encoding SQL_ASCII; UTF8/, /ENCODING 'UTF8'/],
    ...['off', 'local', 'remote_write'].map(
      (commit) =>
        [['170002', 'UTF8', commit], new RegExp(`synchronous_commit = ${commit}; on`), /ALTER SYSTEM/] as const,
    ),
  ] as const;
  for (const [facts, problem, remedy] of refused) {
    const broken = brokenGuarantee(facts);
    assert.match(broken?.problem ?? '', problem);
    assert.match(broken?.remedy ?? '', remedy);
  }
});
