/**
 * The TypeScript on the pages about the client compiles, block after block of a page as one program. Pages that go on from the tutorial's files are
 * compiled in apps.test.ts, and run in test/client/sqlite/apps.test.ts.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../lab/apps/weigh-types.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'packages/client/src');
const guides = join(root, 'docs/how-to');

test('the TypeScript of the guides compiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-snippets-'));
  try {
    let pages = 0;
    for (const name of readdirSync(guides).filter((name) => name.endsWith('.md'))) {
      const blocks = [...readFileSync(join(guides, name), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
      const text = `${blocks.map(([, block]) => block).join('\n')}\nexport {};\n`;
      if (blocks.length === 0 || text.includes("from './")) continue;
      pages++;
      writeFileSync(join(folder, name.replace('.md', '.mts')), text);
    }
    const of = (path: string) => [join(source, path)];
    const paths = {
      '@rowhouse/client': of('index.ts'),
      '@rowhouse/client/node': of('node/index.ts'),
      '@rowhouse/client/outbox': of('outbox/index.ts'),
    };
    const compilerOptions = {
      ...{ lib: ['es2022', 'dom', 'dom.iterable'], target: 'es2022', module: 'nodenext', strict: true, noEmit: true },
      ...{ allowImportingTsExtensions: true, types: ['node'], typeRoots: [join(root, 'node_modules/@types')], paths },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    assert.equal(compile('-p', folder), '');
    assert.ok(pages > 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
