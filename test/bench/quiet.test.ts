/** Every benchmark refuses a busy machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const benchmarks = Object.entries(scripts).filter(([name]) => /^bench(:|$)/.test(name));

/** Makes the machine look busy to the benchmark. */
const busy = `data:text/javascript,${encodeURIComponent(
  "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.loadavg = () => [9, 9, 9]; syncBuiltinESMExports();",
)}`;

function run(script: string): Promise<{ code: unknown; output: string; errors: string }> {
  const file = script.split(' ').at(-1) as string;
  return new Promise((resolve) => {
    const args = ['--import', busy, join(root, file)];
    const child = execFile(process.execPath, args, (error, output, errors) => {
      resolve({ code: error?.code ?? 0, output, errors });
    });
    // A benchmark that starts nevertheless prints something first.
    child.stdout?.once('data', () => child.kill());
  });
}

test('every benchmark refuses a busy machine before it starts anything', async () => {
  assert.ok(benchmarks.length >= 7, benchmarks.map(([name]) => name).join());
  const refusing = benchmarks.map(async ([name, script]) => {
    const { code, output, errors } = await run(script);
    assert.equal(code, 1, `${name}: ${output}${errors}`);
    assert.match(errors, /^The machine is busy: load average 9\.00 .* --noisy/, name);
    assert.equal(output, '', name);
  });
  await Promise.all(refusing);
});
