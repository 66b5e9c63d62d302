/** Comparisons ignoring case, beyond ASCII: the same in databases of every locale (`test/batches.ts`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, scratch } from './scratch.ts';

test('in accounts, only the letters A to Z ignore case', async (t) => {
  const { users } = (await scratch(t)).directory;
  const upper = await users.create({ companyId: 1, account: 'ÄPFEL İIı' });
  const lower = await users.create({ companyId: 1, account: 'äpfel İIı' });
  assert.deepEqual(await users.byAccount(1, 'Äpfel İiı'), upper);
  assert.deepEqual(await users.byAccount(1, 'äPFEL İiı'), lower);
  assert.equal(await users.byAccount(1, 'äpfel iii'), null);
  await refused(
    users.create({ companyId: 1, account: 'Äpfel İIı' }),
    'malformed',
    'there is already a user "ÄPFEL İIı"',
  );
});
