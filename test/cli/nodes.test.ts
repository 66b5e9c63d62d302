/** `rowhouse nodes` without a cluster, early refusals, and its help. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sizeText } from '../../src/cli/nodes.ts';
import { run } from '../../src/cli/run.ts';
import { scratchOf } from '../engines/scratch.ts';

async function command(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  const status = await run(['nodes', ...words], { variables, isTerminal: false, out, error: out });
  return { status, text: lines.join('\n') };
}

async function withData(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const { variables } = await scratchOf(t);
  const quiet = { isTerminal: false, out: () => {}, error: () => {} };
  assert.equal(await run(['company', 'add', '--name', 'One'], { variables, ...quiet }), 0);
  return variables;
}

test('without a cluster every action says so, and changes nothing', async (t) => {
  const variables = await withData(t);
  for (const words of [['list'], ['spaces'], ['move', '1', '--to', 'db1.example.com:5432'], ['rebalance']]) {
    const { status, text } = await command(words, variables);
    assert.equal(status, 1, text);
    assert.match(text, /^rowhouse: This storage is not a cluster; .*Citus has nodes \(docs\/how-to\/citus\.md\)\.$/);
  }
});

test('without data there are no nodes either', async (t) => {
  const { variables } = await scratchOf(t);
  const { status, text } = await command(['list'], variables);
  assert.equal(status, 1);
  assert.match(text, /There are no data in/);
});

test('wrong use is refused before anything is opened', async () => {
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['move', '--to', 'a:1'], /<space> is missing/],
    [['move', '3'], /--to is missing/],
    [['move', 'three', '--to', 'a:1'], /<space>: expected a whole number from 1 to 2147483647, got "three"/],
    [['spaces', '--company', 'x'], /--company: expected a whole number/],
    [['drain'], /There is no action "drain"/],
  ];
  for (const [words, told] of refused) {
    const { status, text } = await command(words, { ROWHOUSE_STORAGE: 'postgres://nobody@127.0.0.1:1/none' });
    assert.deepEqual([status, told.test(text)], [2, true], text);
  }
});

test('help names the argument and the flags', async () => {
  assert.match((await command(['--help'])).text, /list.*spaces.*move.*rebalance/s);
  assert.match((await command(['move', '--help'])).text, /rowhouse nodes move <space> --to <host:port>/);
});

test('sizes read easily', () => {
  const kib = 1_024;
  const sizes = [0, 1_023, kib, 200 * kib, kib ** 2, 1_500 * kib, 12.34 * kib ** 2, 1_000 * kib ** 2, 2 * kib ** 4];
  assert.deepEqual(sizes.map(sizeText), [
    ...['0 bytes', '1023 bytes', '1 KiB', '200 KiB', '1.00 MiB', '1.46 MiB', '12.3 MiB', '1000 MiB', '2.00 TiB'],
  ]);
  assert.equal(sizeText(null), null);
});
