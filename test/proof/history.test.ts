/** The check of histories finds every kind of violation in histories constructed with it, and none in correct ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  type History,
  judge,
  type Read,
  type Rule,
  type Seen,
  type Transaction,
} from '../../lab/prove/history.ts';

const result = (objectId: string, created: number, updated = created) => ({ objectId, created, updated });
const seen = (objectId: string, mark: string, created: number, updated: number, count: number): Seen => ({
  ...result(objectId, created, updated),
  mark,
  count,
});

/** Attempts follow one after the other: the n-th is sent at 10n and answered at 10n + 5. */
let clock = 0;
function attempts(...answers: (Answer | null)[]): Transaction['attempts'] {
  return answers.map((answer) => {
    clock += 10;
    const heard = answer === null ? null : { at: clock + 5, answer };
    return { sentAt: clock, heard, handedOn: null, unheard: [] };
  });
}

const accepted = (...results: ReturnType<typeof result>[]): Answer => ({ kind: 'accepted', results });
const replayed = (...results: ReturnType<typeof result>[]): Answer => ({ kind: 'replayed', results });
const foreign: Answer = { kind: 'foreign' };
const refused: Answer = { kind: 'refused', code: 130, text: '' };
const fault: Answer = { kind: 'fault', text: '{"errCode":210}' };

const add = (id: string, objectIds: readonly (string | null)[], ...answers: (Answer | null)[]): Transaction => ({
  id,
  operation: 'add',
  items: objectIds.map((objectId) => ({ objectId, base: null, count: 0 })),
  attempts: attempts(...answers),
});
const change = (id: string, items: readonly [string, number, number | null][], ...answers: (Answer | null)[]) => ({
  id,
  operation: items.every(([, , count]) => count === null) ? ('delete' as const) : ('update' as const),
  items: items.map(([objectId, base, count]) => ({ objectId, base, count })),
  attempts: attempts(...answers),
});
const read = (startedAt: number, ...records: Seen[]): Read => ({ startedAt, endedAt: startedAt + 3, records });

/** a and b are added together (t1), updated together (t2), then a again (t3), and b is deleted and added again. */
function sound(): History {
  clock = 0;
  const transactions = [
    add(
      't1',
      ['a', 'b'],
      null,
      accepted(result('a', 100), result('b', 100)),
      replayed(result('a', 100), result('b', 100)),
    ),
    change(
      't2',
      [
        ['a', 100, 1],
        ['b', 100, 1],
      ],
      null,
      replayed(result('a', 100, 110), result('b', 100, 110)),
    ),
    change('lost', [['a', 100, 1]], refused),
    change('t3', [['a', 110, 2]], accepted(result('a', 100, 111))),
    change(
      't3',
      [
        ['a', 110, 2],
        ['b', 110, 2],
      ],
      foreign,
    ),
    change('t4', [['b', 110, null]], accepted(result('b', 100, 110))),
    add('t5', ['b'], accepted(result('b', 120))),
  ];
  return {
    transactions,
    reads: [
      read(1),
      read(26, seen('a', 't1', 100, 100, 0), seen('b', 't1', 100, 100, 0)),
      read(56, seen('a', 't2', 100, 110, 1), seen('b', 't2', 100, 110, 1)),
      read(96, seen('a', 't3', 100, 111, 2)),
      read(200, seen('a', 't3', 100, 111, 2), seen('b', 't5', 120, 120, 0)),
    ],
    final: [seen('a', 't3', 100, 111, 2), seen('b', 't5', 120, 120, 0)],
  };
}

const rulesOf = (history: History) => new Set(judge(history).map(({ rule }) => rule));

test('a correct history has no violation', () => assert.deepEqual(judge(sound()), []));

/** Each takes the correct history and breaks it in one way. */
const broken: Readonly<Record<string, { readonly rule: Rule; readonly make: (history: History) => History }>> = {
  'two updates accepted on one version': {
    rule: 'no lost update',
    make: (history) => ({
      ...history,
      transactions: [...history.transactions, change('t9', [['a', 100, 1]], accepted(result('a', 100, 112)))],
    }),
  },
  'an update accepted on a version that never was': {
    rule: 'no lost update',
    make: (history) => ({
      ...history,
      transactions: [...history.transactions, change('t9', [['a', 105, 1]], accepted(result('a', 100, 112)))],
    }),
  },
  'the record in the end counts fewer updates than were accepted': {
    rule: 'no lost update',
    make: (history) => ({ ...history, final: [seen('a', 't2', 100, 110, 1), history.final[1]!] }),
  },
  'an update that counts from an older value': {
    rule: 'no lost update',
    make: (history) => with_(history, 't3', change('t3', [['a', 110, 1]], accepted(result('a', 100, 111)))),
  },
  'a record that was added although it was there': {
    rule: 'no lost update',
    make: (history) => ({
      ...history,
      transactions: [...history.transactions, add('t9', ['a'], accepted(result('a', 130)))],
    }),
  },
  'a repeat that was carried out once more': {
    rule: 'at most once',
    make: (history) => with_(history, 't5', add('t5', ['b'], accepted(result('b', 120)), accepted(result('b', 120)))),
  },
  'a doubled batch that shows only in the records': {
    rule: 'at most once',
    make: (history) => ({ ...history, final: [...history.final, seen('made-twice', 't5', 121, 121, 0)] }),
  },
  'two requests under one id, both carried out': {
    rule: 'at most once',
    make: (history) => ({
      ...history,
      transactions: [...history.transactions, add('t5', ['c'], replayed(result('c', 121)))],
      final: [...history.final, seen('c', 't5', 121, 121, 0)],
    }),
  },
  'another request under a used id that was looked at': {
    rule: 'same replay',
    make: (history) => ({ ...history, transactions: [...history.transactions, change('t3', [['a', 1, 2]], refused)] }),
  },
  'a part of a batch is there': {
    rule: 'answered is kept',
    make: (history) => ({ ...history, final: history.final.slice(0, 1) }),
  },
  'a batch that was refused left a record': {
    rule: 'all or nothing',
    make: (history) => ({ ...history, final: [...history.final, seen('c', 'lost', 121, 121, 1)] }),
  },
  'fewer results than items': {
    rule: 'all or nothing',
    make: (history) => with_(history, 't5', add('t5', ['b', 'c'], accepted(result('b', 120)))),
  },
  'a replay with another time': {
    rule: 'same replay',
    make: (history) => with_(history, 't5', add('t5', ['b'], accepted(result('b', 120)), replayed(result('b', 121)))),
  },
  'a lost answer that differs from the one that was heard': {
    rule: 'same replay',
    make: (history) => {
      history.transactions[0]!.attempts[0]!.unheard.push(accepted(result('a', 99), result('b', 99)));
      return history;
    },
  },
  'an answer handed on to a client who had gone, which differs from the one that was heard': {
    rule: 'same replay',
    make: (history) => {
      history.transactions[0]!.attempts[0]!.handedOn = accepted(result('a', 99), result('b', 99));
      return history;
    },
  },
  'a repeat that was refused, after the answer': {
    rule: 'same replay',
    make: (history) => with_(history, 't5', add('t5', ['b'], accepted(result('b', 120)), refused)),
  },
  "a request refused as another one's, and there is no other one": {
    rule: 'same replay',
    make: (history) => ({ ...history, transactions: [...history.transactions, add('t9', ['c'], foreign)] }),
  },
  'an acknowledged record is gone': {
    rule: 'answered is kept',
    make: (history) => ({ ...history, final: history.final.slice(1) }),
  },
  'a deleted record is there again': {
    rule: 'answered is kept',
    make: (history) => ({
      ...history,
      transactions: [...history.transactions, change('t9', [['a', 111, null]], accepted(result('a', 100, 111)))],
    }),
  },
  'an update whose time is not after the one before': {
    rule: 'time goes forward',
    make: (history) => ({
      ...history,
      transactions: [...history.transactions, change('t9', [['a', 111, 3]], accepted(result('a', 100, 90)))],
      final: [seen('a', 't9', 100, 90, 3), history.final[1]!],
    }),
  },
  'a record added again with a time before its deletion': {
    rule: 'time goes forward',
    make: (history) => ({
      ...with_(history, 't5', add('t5', ['b'], accepted(result('b', 109)))),
      reads: [],
      final: [history.final[0]!, seen('b', 't5', 109, 109, 0)],
    }),
  },
  'a reader saw half of an added batch': {
    rule: 'no part of a batch is seen',
    make: (history) => ({ ...history, reads: [read(12, seen('a', 't1', 100, 100, 0))] }),
  },
  'a reader saw half of an update': {
    rule: 'no part of a batch is seen',
    make: (history) => ({
      ...history,
      reads: [read(42, seen('a', 't2', 100, 110, 1), seen('b', 't1', 100, 100, 0))],
    }),
  },
  'a reader saw a version that no answer tells of': {
    rule: 'no part of a batch is seen',
    make: (history) => ({
      ...history,
      reads: [read(42, seen('a', 't2', 100, 109, 1), seen('b', 't2', 100, 109, 1))],
    }),
  },
  'a reader saw a record of a batch that was refused': {
    rule: 'no part of a batch is seen',
    make: (history) => ({ ...history, reads: [read(12, seen('c', 'lost', 100, 100, 0))] }),
  },
  'a read that began after the answer does not see the write': {
    rule: 'reads go forward',
    make: (history) => ({
      ...history,
      reads: [read(300, seen('a', 't2', 100, 110, 1), seen('b', 't5', 120, 120, 0))],
    }),
  },
  'a reader goes back behind an earlier read': {
    rule: 'reads go forward',
    make: (history) => ({
      ...history,
      reads: [read(12, seen('a', 't1', 100, 100, 0), seen('b', 't1', 100, 100, 0)), read(16)],
    }),
  },
  'a request that nothing settled': {
    rule: 'every request is settled',
    make: (history) => ({ ...history, transactions: [...history.transactions, add('t9', ['c'], null)] }),
  },
  'a fault of the service, though the next attempt was answered': {
    rule: 'every request is settled',
    make: (history) => with_(history, 't5', add('t5', ['b'], fault, accepted(result('b', 120)))),
  },
  'a fault of the service that was lost on the way': {
    rule: 'every request is settled',
    make: (history) => {
      history.transactions[0]!.attempts[0]!.unheard.push(fault);
      return history;
    },
  },
};

test('an answer that was forwarded and received counts once', () => {
  const history = sound();
  for (const attempt of history.transactions.flatMap((transaction) => transaction.attempts)) {
    attempt.handedOn = attempt.heard?.answer ?? null;
  }
  assert.deepEqual(judge(history), []);
});

/** The history with the first transaction of that id replaced. */
function with_(history: History, id: string, replacement: Transaction): History {
  const place = history.transactions.findIndex((transaction) => transaction.id === id);
  return { ...history, transactions: history.transactions.with(place, replacement) };
}

for (const [name, { rule, make }] of Object.entries(broken)) {
  test(`found: ${name}`, () => {
    const rules = rulesOf(make(sound()));
    assert.ok(rules.has(rule), `"${rule}" was expected among ${[...rules].join(', ') || 'no violations'}`);
  });
}
