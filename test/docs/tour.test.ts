/**
 * The tour of README.md and the examples that continue it: runs their lines as written, in one shell, against a server
 * started as by `npm start`, and compares the output with the pages.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { engine } from '../engines/engine.ts';
import { scratchOf } from '../engines/scratch.ts';
import { blocksOf, cleanVariables, comparable, numbering, root, runSteps, type Step, stepsOf } from './shell.ts';

/** In the order in which a reader goes through them. */
const chapters = [
  { page: 'README.md', heading: 'Five minutes with curl' },
  { page: 'docs/reference/writing.md', heading: 'Examples' },
  { page: 'docs/reference/older-query.md', heading: 'Scope' },
  { page: 'docs/reference/older-query.md', heading: 'Example' },
] as const;

/** The reader's service address and project folder. */
const address = 'http://127.0.0.1:8080';
const home = '/home/you/rowhouse';

test('the tour of README.md', async (t) => {
  const steps = chapters.map(({ page, heading }) => stepsOf(page, heading));
  assert.ok((steps[0]?.length ?? 0) >= 10, 'The tour has its stations.');

  const scratch = await scratchOf(t);
  const folder = realpathSync(scratch.folder);
  // The tour uses SQLite, with data in the folder `data` below the working folder.
  const variables = engine === 'sqlite' ? {} : scratch.variables;
  const server = await startAsReadme(folder, variables, (child) => scratch.closeFirst(() => stop(child)));

  await t.test('the start prints what README.md shows', () => {
    const shown = blocksOf('README.md', 'Start').find(({ language }) => language === 'text');
    const said = server.said
      .join('\n')
      .replaceAll(` --url ${server.url}`, '')
      .replaceAll(server.url, address)
      .replace(/#[0-9a-f]{64}/, '#5f1c…');
    const place = engine === 'sqlite' ? join(folder, 'data') : new URL(variables.ROWHOUSE_STORAGE as string);
    const written = place instanceof URL ? `postgres://${place.host}${place.pathname}` : place;
    assert.equal(said.replace(written, `${home}/data`).trim(), shown?.text.trim());
  });

  const { port } = new URL(server.url);
  const shell = { folder, variables: { ROWHOUSE_PORT: port }, addresses: { [address]: server.url } };
  const printed = await runSteps(steps.flat(), shell);
  for (const [index, { page }] of chapters.entries()) {
    await t.test(page, (chapter) => compare(chapter, steps[index] ?? [], printed.splice(0, steps[index]?.length)));
  }
});

async function compare(t: TestContext, steps: readonly Step[], printed: readonly string[]): Promise<void> {
  const onPage = numbering();
  const here = numbering();
  for (const [index, { lines, shown, isJson }] of steps.entries()) {
    const came = here(comparable(printed[index] ?? '', isJson));
    const wanted = onPage(comparable(shown, isJson));
    await t.test(lines.split('\n')[0] ?? '', () => assert.equal(came, wanted));
  }
}

interface Server {
  readonly url: string;
  /** Its first lines, up to the one that says how to stop it. */
  readonly said: readonly string[];
}

/** Runs the script `start` of package.json on a free port, with the data in our own folder. */
async function startAsReadme(
  folder: string,
  variables: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void,
): Promise<Server> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const [node, file, ...words] = scripts.start.split(' ');
  assert.equal(node, 'node');
  const child = spawn(process.execPath, [join(root, file as string), ...words, '--port', '0'], {
    cwd: folder,
    env: { ...cleanVariables(), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started(child);
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    // The service warns that the server of the tests does not sync.
    if (!/ warn {2}PostgreSQL has \w+ = off:/.test(line)) said.push(line);
    if (line.startsWith('Ctrl-C')) break;
  }
  child.stdout.resume();
  const url = /http:\/\/\S+/.exec(said[0] ?? '')?.[0];
  assert.ok(url !== undefined, `The server did not start: ${said.join('\n')}`);
  return { url, said };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
