/** `bin/`: the program runs on the Node that it needs, and shares signals and its end with its parent. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const program = join(import.meta.dirname, 'signals.js');

/** A Node that runs files of `bin/`, with the arguments before their name. */
interface Host {
  readonly name: string;
  readonly node: string;
  readonly flags: readonly string[];
}

const importing = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
const asChild: Host = {
  name: 'a Node that cannot replace itself',
  node: process.execPath,
  flags: importing('process.execve = undefined'),
};
const hosts: readonly Host[] = [
  { name: 'the pinned Node', node: process.execPath, flags: [] },
  asChild,
  { name: 'the Node of this machine', node: nodeOfMachine(), flags: [] },
];

/** The Node of npm, or the first one that a shell finds. */
function nodeOfMachine(): string {
  if (process.env.npm_node_execpath !== undefined) return process.env.npm_node_execpath;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const folders = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, file));
  return folders.find((path) => isFile(path)) ?? process.execPath;
}

function isFile(path: string): boolean {
  try {
    return readFileSync(path, { flag: 'r' }).length > 0;
  } catch {
    return false;
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly errors: string[];
  /** Resolves with this line once printed. Fails if the output ends before. */
  line(number: number): Promise<string>;
  /** Resolves when the process, and every other one that could write to its output, has ended. */
  readonly closed: Promise<unknown>;
}

/** Starts it in its own process group, like a shell. */
function start(t: TestContext, { node, flags }: Host, folder: string, ...words: string[]): Started {
  const [file = '', ...rest] = words;
  const child = spawn(node, [...flags, join(folder, 'bin', file), ...rest], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => void lines.push(text));
  createInterface({ input: child.stderr }).on('line', (text) => void errors.push(text));
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const line = async (number: number) => {
    while (lines.length < number) {
      const ended = await Promise.race([closed.then(() => true), once(child.stdout, 'data').then(() => false)]);
      if (ended && lines.length < number) throw new Error(`It ended: ${lines.join(', ')} ${errors.join('\n')}`);
    }
    return lines[number - 1] as string;
  };
  return { child, lines, errors, line, closed };
}

for (const host of hosts) {
  test(`${host.name}: every signal reaches the program once, whether one process or the whole group gets it`, async (t) => {
    const { child, lines, errors, line, closed } = start(t, host, root, 'node.js', program, '7');
    const pid = await line(1);
    const expected = [pid];
    const send = async (to: number, signal: NodeJS.Signals) => {
      process.kill(to, signal);
      expected.push(signal);
      assert.equal(await line(expected.length), signal);
    };
    await send(child.pid as number, 'SIGINT');
    // As a terminal does at Ctrl-C. A duplicate signal would appear among the lines, at the latest before the last one.
    for (let times = 1; times <= 5; times++) await send(-(child.pid as number), 'SIGINT');
    await send(child.pid as number, 'SIGHUP');
    await send(child.pid as number, 'SIGTERM');
    await closed;
    assert.deepEqual(lines, expected);
    assert.equal(child.exitCode, 7, errors.join('\n'));
    assert.deepEqual(errors, []);
  });

  test(`${host.name}: the program ends when its parent is killed, and vice versa`, async (t) => {
    const first = start(t, host, root, 'node.js', program, '7');
    const pid = Number(await first.line(1));
    first.child.kill('SIGKILL');
    // Its output ends when the last process that could write to it has ended.
    await first.closed;
    // Cleanly, if it is another process.
    assert.deepEqual(first.lines.slice(1), pid === first.child.pid ? [] : ['SIGTERM']);

    const second = start(t, host, root, 'node.js', program, '7');
    process.kill(Number(await second.line(1)), 'SIGKILL');
    await second.closed;
    assert.equal(second.child.signalCode, 'SIGKILL');
  });
}

test('a Node that can replace itself by another program leaves one process', async (t) => {
  const { child, line } = start(t, hosts[0] as Host, root, 'node.js', program, '0');
  assert.equal(Number(await line(1)), child.pid);
});

test('a server whose wrapper is killed stops cleanly', async (t) => {
  const folder = scratchFolder(t);
  const { child, lines, line, closed } = start(
    t,
    asChild,
    root,
    'rowhouse.js',
    'serve',
    '--port',
    '0',
    '--storage',
    `sqlite:${join(folder, 'data')}`,
    '--json',
  );
  while (!lines.some((text) => text.includes('"Listening."'))) await line(lines.length + 1);
  child.kill('SIGKILL');
  await closed;
  assert.match(lines.at(-1) as string, /"msg":"Stopped\."/);
});

test('without a library of the system: this Node if it is new enough, otherwise what to install', async (t) => {
  const folder = folderWithoutLibrary(t);
  const newer = start(t, hosts[0] as Host, folder, 'node.js', '-p', '6 * 7');
  await newer.closed;
  assert.deepEqual([newer.lines, newer.errors, newer.child.exitCode], [['42'], [], 0]);

  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
  for (const file of ['node.js', 'rowhouse.js']) {
    const refused = start(t, { ...asChild, flags: importing(older) }, folder, file, 'serve', '--demo');
    await refused.closed;
    assert.deepEqual([refused.lines, refused.child.exitCode], [[], 1]);
    assert.match(refused.errors.join('\n'), /^Rowhouse runs on Node 26\. This is v[\d.]+, and .* cannot be used: /);
    if (process.platform === 'linux') {
      assert.match(refused.errors.join('\n'), /libatomic\.so\.0: cannot open shared object file/);
      assert.match(refused.errors.join('\n'), /\n {2}apt-get install libatomic1 /);
    }
    assert.match(refused.errors.at(-1) as string, /^A Node 26 or newer of this machine does as well\.$/);
  }
});

/** A folder with the commands, and with a pinned Node that requires a library that no system has. */
function folderWithoutLibrary(t: TestContext): string {
  const folder = scratchFolder(t);
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const windows = process.platform === 'win32';
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${windows ? 'win' : process.platform}-${process.arch}`;
  const bin = join(folder, 'node_modules', name, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, '../package.json'), '{}');
  const bytes = readFileSync(process.execPath);
  const library = bytes.indexOf('libatomic.so.1\0');
  if (library !== -1) bytes.write('libatomic.so.0', library);
  writeFileSync(join(bin, windows ? 'node.exe' : 'node'), library === -1 ? '' : bytes, { mode: 0o755 });
  return folder;
}

function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-install-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('with little memory the allocator retains less, unless its variables are set', () => {
  const inSmall = (env: NodeJS.ProcessEnv) => {
    const flags = importing('process.constrainedMemory = () => 512 * 1024 * 1024');
    const script = 'process.env.MALLOC_ARENA_MAX';
    const options = { env: { ...process.env, ...env }, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [...flags, join(root, 'bin/node.js'), '-p', script], options).stdout.trim();
  };
  assert.equal(inSmall({ MALLOC_ARENA_MAX: undefined }), '2');
  assert.equal(inSmall({ MALLOC_ARENA_MAX: '7' }), '7');
});
