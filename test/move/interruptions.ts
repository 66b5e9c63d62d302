/** The same move, killed at several moments, each time into another storage location, and completed by the command. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scratch } from '../../lab/machine/scratch.ts';
import { type MoveAnswer, moved, typeMove } from './house.ts';
import type { Interruption } from './interrupted.ts';

/** How many moments, spread over the whole move; the first is after the mark is written. */
const moments = 5;

/** @param place creates empty storage of the target's engine */
export async function assertGoesOn(source: Scratch, place: () => Promise<Scratch>): Promise<void> {
  const uninterrupted = await place();
  const from = source.settings.storage;
  const calls = Number((await movedApart({ from, to: uninterrupted.settings.storage, call: 0, when: 'after' })).out);
  assert.ok(calls > 30, `${calls} calls`);
  let first: MoveAnswer | null = null;
  for (let moment = 0; moment < moments; moment++) {
    const call = 1 + Math.round((moment * (calls - 1)) / (moments - 1));
    // After the last call nothing would be left to do.
    const when = call === calls ? 'before' : moment % 2 === 0 ? 'after' : 'during';
    const target = await place();
    const to = target.settings.storage;
    assert.equal((await movedApart({ from, to, call, when })).signal, 'SIGKILL');
    await assertTaken(target);
    const ended = await moved(source, target);
    assert.ok(ended.resumed, `killed at call ${call} of ${calls}`);
    first ??= ended;
    assert.deepEqual(ended.tables, first.tables, `killed at call ${call} of ${calls}`);
    if (moment > 1) assert.ok(ended.written < ended.rows, 'It went on, and did not begin anew.');
    if (call === calls) assert.equal(ended.written, 0);
  }
}

/** Checks that nothing else may use the target before the move has ended. */
async function assertTaken({ settings }: Scratch): Promise<void> {
  const other = await typeMove('--from', settings.storage, '--to', 'sqlite:/nowhere/at/all');
  assert.equal(other.status, 1);
  assert.match(other.error, /A move into this storage location has not ended/);
}

async function movedApart(interruption: Interruption): Promise<{ out: string; signal: NodeJS.Signals | null }> {
  const script = join(import.meta.dirname, 'interrupted.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(interruption)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { out, signal: child.signalCode };
}
