/** The display of long work: a redrawn bar in a terminal, lines elsewhere, neither too often. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProgress } from '../../src/cli/progress.ts';

function watched(isTerminal: boolean) {
  const shown: string[] = [];
  let time = 0;
  const terminal = isTerminal ? { write: (text: string) => shown.push(text) > 0 } : null;
  const progress = openProgress({ terminal, line: (text) => void shown.push(text), clock: () => time });
  return {
    shown,
    at(milliseconds: number, name: string, done: number, of: number) {
      time = milliseconds;
      progress.show({ name, done, of });
    },
    end: progress.end,
  };
}

test('without a terminal there is a line at the start, every five seconds, and when a stage is done', () => {
  const { shown, at, end } = watched(false);
  at(0, 'a', 0, 1_000);
  at(1_000, 'a', 100, 1_000);
  at(5_000, 'a', 500, 1_000);
  at(6_000, 'a', 1_000, 1_000);
  at(6_001, 'b', 1, 2);
  end();
  assert.deepEqual(shown, [
    'a: 0 of 1000 rows',
    'a: 500 of 1000 rows, 100 a second',
    'a: 1000 of 1000 rows, 167 a second',
  ]);
});

test('in a terminal each bar replaces the previous one, and the last is removed', () => {
  const { shown, at, end } = watched(true);
  at(0, 'a', 0, 4);
  at(50, 'a', 1, 4);
  at(150, 'a', 3, 4);
  at(160, 'b', 0, 0);
  end();
  assert.deepEqual(shown, [
    '\r\x1b[K[------------------------]   0 % a: 0 of 4 rows',
    '\r\x1b[K[##################------]  75 % a: 3 of 4 rows',
    '\r\x1b[K[########################] 100 % b: 0 of 0 rows',
    '\r\x1b[K',
  ]);
});
