/**
 * Runs the blocks of docs/how-to/build-an-app.md as one program, against the demo, and compares the output with the
 * page. One answer to addData is lost, and the program must not add twice.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { startRowhouse } from '../../src/main.ts';
import { scratchOf } from '../engines/scratch.ts';
import { blocksOf, cleanVariables, root, textOf } from './shell.ts';

const page = 'docs/how-to/build-an-app.md';
const address = 'http://localhost:8080';
const endOfBlock = '-- end of block --';
const lost = 'An answer got lost.';

/** Browser features, and the page's `browser`. */
const commandProcess = `
import { signInAtProvider } from ${JSON.stringify(join(root, 'src/demo/sign-in.ts'))};
const browser = async (location) => 'http://app.example/?' + (await signInAtProvider(location, 'alice', 'demo'));
const fetchOfNode = globalThis.fetch;
let hasLost = false;
globalThis.fetch = async (url, request) => {
  const response = await fetchOfNode(url, request);
  if (hasLost || !String(url).endsWith('/addData')) return response;
  hasLost = true;
  console.error(${JSON.stringify(lost)});
  throw new TypeError('fetch failed');
};
`;

interface Part {
  readonly program: string;
  /** '' if the page shows no output. */
  readonly prints: string;
}

function partsOfPage(): Part[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    return language === 'js' ? [{ program: text, prints: next?.language === 'text' ? next.text : '' }] : [];
  });
}

test(page, async (t) => {
  const parts = partsOfPage();
  assert.ok(parts.length >= 10, 'The page has its blocks.');
  const scratch = await scratchOf(t);
  const settings = { ...defaults, ...scratch.settings, port: 0, stopIdleMs: 0 };
  const service = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
  scratch.closeFirst(() => service.close());

  const file = join(scratch.folder, 'app.mjs');
  const program = parts.map((part) => `${part.program}\nconsole.log(${JSON.stringify(endOfBlock)});\n`).join('');
  writeFileSync(file, commandProcess + program.replaceAll(address, service.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: cleanVariables(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);

  assert.equal(error.trim(), lost, 'The program complains of nothing, and one answer got lost.');
  const printed = out.split(`${endOfBlock}\n`);
  for (const [index, { program: lines, prints }] of parts.entries()) {
    await t.test(lines.split('\n')[0] ?? '', () => assert.equal((printed[index] ?? '').trim(), prints));
  }
});
