/**
 * The checks of kills and ended sessions find each violation in histories constructed with it, and none in correct
 * ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item, Seen, Transaction, Violation } from '../../lab/prove/history.ts';
import { judgeUnanswered } from '../../lab/prove/kill.ts';
import { type Asked, type Ending, elsewhereMs, Held, isMeant, judgeAnswer } from '../../lab/prove/revocation/ended.ts';
import type { Act, SignedIn } from '../../lab/prove/revocation/orders.ts';

const rules = (violations: readonly Violation[]) => violations.map(({ rule }) => rule);

function unanswered(operation: Transaction['operation'], ...objectIds: (string | null)[]): Transaction {
  const count = operation === 'delete' ? null : 0;
  const items = objectIds.map((objectId): Item => ({ objectId, base: null, count }));
  return { id: 't1', operation, items, attempts: [] };
}
const stored = (mark: string, ...objectIds: string[]): Seen[] =>
  objectIds.map((objectId) => ({ objectId, created: 1, updated: 1, mark, count: 0 }));

test('a batch without an answer is stored completely or not at all', () => {
  const added = unanswered('add', 'a', 'b', null);
  assert.deepEqual(judgeUnanswered(added, [added], []), []);
  assert.deepEqual(judgeUnanswered(added, [added], stored('t1', 'a', 'b', 'c')), []);
  assert.deepEqual(judgeUnanswered(added, [added], stored('t0', 'a', 'b')), []);
  assert.deepEqual(rules(judgeUnanswered(added, [added], stored('t1', 'a', 'b'))), ['all or nothing']);
  assert.deepEqual(rules(judgeUnanswered(added, [added], stored('t1', 'a', 'b', 'c', 'd'))), ['all or nothing']);
});

test('another payload under the same id may be the one that was written', () => {
  const added = unanswered('add', 'a', 'b');
  const rival = unanswered('add', 'a');
  assert.deepEqual(judgeUnanswered(added, [added, rival], stored('t1', 'a')), []);
  assert.deepEqual(rules(judgeUnanswered(added, [added], stored('t1', 'a'))), ['all or nothing']);
});

test('a deletion without an answer removed all of its records or none', () => {
  const deleted = unanswered('delete', 'a', 'b');
  assert.deepEqual(judgeUnanswered(deleted, [deleted], stored('t0', 'x')), []);
  assert.deepEqual(judgeUnanswered(deleted, [deleted], stored('t0', 'a', 'b', 'x')), []);
  assert.deepEqual(rules(judgeUnanswered(deleted, [deleted], stored('t0', 'b', 'x'))), ['all or nothing']);
});

const seat: SignedIn = {
  ...{ companyId: 1, appId: 'crm', version: '1.0.0', deviceUdid: 'device', userId: 7 },
  ...{ id: 'session', token: 'token' },
};
const revoked: Act = { kind: 'revoke', selection: { companyId: 1, userId: 7 } };
const never = Number.POSITIVE_INFINITY;

/** Ended by instance 0 at 1,000. */
function ended(act: Act, voidAt = never): Held {
  const session = new Held(seat);
  session.endings.push({ act, by: 0, doneAt: 1_000, voidAt } satisfies Ending);
  return session;
}
const asked = (instance: number, sentAt: number, errCode = 0): Asked => {
  return { path: 'logLevel', instance, sentAt, heardAt: sentAt + 5, errCode };
};
const judged = (session: Held, ...requests: Asked[]) =>
  rules(requests.flatMap((request) => judgeAnswer(session, request)));

test('an ended session is never accepted: at once where it was ended, elsewhere after the time limit', () => {
  assert.deepEqual(judged(ended(revoked), asked(0, 999), asked(1, 999 + elsewhereMs)), []);
  assert.deepEqual(judged(ended(revoked), asked(0, 1_000)), ['no later accept']);
  assert.deepEqual(judged(ended(revoked), asked(1, 1_000 + elsewhereMs)), ['no later accept']);
  assert.deepEqual(judged(ended(revoked), asked(0, 1_000, 115), asked(1, 9_000, 115)), []);
});

test('a removed or disabled user may be accepted everywhere until the time limit, but not after it', () => {
  const disabled: Act = { kind: 'switch', of: { companyId: 1, userId: 7 }, disabled: true };
  for (const act of [disabled, { kind: 'remove', companyId: 1, userId: 7 } as const]) {
    assert.deepEqual(judged(ended(act), asked(0, 999 + elsewhereMs), asked(1, 999 + elsewhereMs)), []);
    assert.deepEqual(judged(ended(act), asked(0, 1_000 + elsewhereMs)), ['no later accept']);
  }
  const enabledAt = 1_000 + elsewhereMs + 100;
  assert.deepEqual(judged(ended(disabled, enabledAt), asked(1, enabledAt - 1)), []);
  assert.deepEqual(judged(ended(disabled, enabledAt), asked(1, enabledAt - 10)), ['no later accept']);
});

test('sessions that were not ended are never refused, except with a renewed token', () => {
  assert.deepEqual(judged(new Held(seat), asked(0, 1), asked(0, 2, 120)), []);
  assert.deepEqual(judged(new Held(seat), asked(0, 3, 115)), ['nobody else is thrown out']);
});

test('an ending affects the sessions that it names, and no others', () => {
  assert.ok(isMeant(revoked, seat));
  assert.ok(isMeant({ kind: 'revoke', selection: { companyId: 1 } }, seat));
  assert.ok(isMeant({ kind: 'revoke', selection: { companyId: 1, sessionId: 'session' } }, seat));
  assert.ok(isMeant({ kind: 'remove', companyId: 1, userId: 7 }, seat));
  assert.ok(isMeant({ kind: 'switch', of: { companyId: 1, appId: 'crm' }, disabled: true }, seat));
  assert.ok(!isMeant({ kind: 'revoke', selection: { companyId: 2, userId: 7 } }, seat));
  assert.ok(!isMeant({ kind: 'revoke', selection: { companyId: 1, sessionId: 'another' } }, seat));
  assert.ok(!isMeant({ kind: 'remove', companyId: 1, userId: 8 }, seat));
  assert.ok(!isMeant({ kind: 'switch', of: { companyId: 1, appId: 'crm', version: '2.0.0' }, disabled: true }, seat));
});
