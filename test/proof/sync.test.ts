/**
 * The proof of syncing: it must find faults in an edited synthetic trace; and the proof itself runs on the running
 * service if strace is installed. The names of the tests say which of the two ran.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { judgeReplay } from '../../lab/prove/sync/cuts.ts';
import { judgeRecording, type Proof, record } from '../../lab/prove/sync/prove.ts';
import { hasStrace } from '../../lab/prove/sync/traced-service.ts';
import { type Line, syntheticTrace } from './synthetic-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'rowhouse-prove-sync-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const seed = 20_261_121;
const count = 6;

suite(`a synthetic trace, seed ${seed}`, () => {
  const { lines: made, recordingOf } = syntheticTrace(join(folder, 'synthetic'), count);
  const lines: readonly Pick<Line, 'text'>[] = made;
  const judged = (edited: readonly Pick<Line, 'text'>[]): Proof =>
    judgeRecording(recordingOf(edited), { folder: join(folder, 'judged'), seed });
  const places = (what: Line['what']) => made.flatMap((line, index) => (line.what === what ? [index] : []));
  /** Syncs of the log; 0 is the last one. */
  const syncFromEnd = (back: number) => places('sync').at(-1 - back) as number;

  test('as recorded, everything is synced before its answer and nothing is lost', () => {
    const { acknowledged, syncedBefore, syncs, opened, violations } = judged(lines);
    assert.deepEqual(violations, []);
    assert.equal(acknowledged, count);
    assert.equal(syncedBefore, count);
    assert.equal(syncs, places('sync').length + places('folder sync').length);
    assert.equal(opened, syncs * 3 + 1);
  });

  test('a sync missing at the end is reported by both checks', () => {
    const { syncedBefore, violations } = judged(lines.toSpliced(syncFromEnd(0), 1));
    assert.equal(syncedBefore, count - 1);
    assert.match(violations.join('\n'), /prove-sync-00000005 was acknowledged at line \d+; .* was never synced/);
    assert.match(
      violations.join('\n'),
      /Power cut .* all unsynced lost.* prove-sync-00000005 was acknowledged and is not there/,
    );
  });

  test('a sync missing in the middle is reported, although a later one compensates for it', () => {
    const { syncedBefore, violations } = judged(lines.toSpliced(syncFromEnd(2), 1));
    assert.equal(syncedBefore, count - 1);
    assert.match(violations.join('\n'), /prove-sync-00000003 was acknowledged .* ended at line \d+ only/);
    assert.match(violations.join('\n'), /Power cut .* prove-sync-00000003 was acknowledged and is not there/);
  });

  test('an answer before the sync is reported', () => {
    const at = syncFromEnd(1);
    const [sync, answer] = made.slice(at, at + 2) as [Line, Line];
    const { syncedBefore, violations } = judged(lines.toSpliced(at, 2, answer, sync));
    assert.equal(syncedBefore, count - 1);
    assert.match(violations.join('\n'), /prove-sync-00000004 was acknowledged/);
  });

  test('an answer before the commit was written is reported', () => {
    const request = places('request').at(-1) as number;
    const answer = made.at(-1) as Line;
    const { syncedBefore, violations } = judged([...lines.slice(0, -1).toSpliced(request + 1, 0, answer)]);
    assert.equal(syncedBefore, count - 1);
    assert.match(violations.join('\n'), /prove-sync-00000005 .* before its commit was written/);
  });

  test('a failed sync does not count', () => {
    const at = syncFromEnd(0);
    const failed = (made[at] as Line).text.replace(/ = 0$/, ' = -1 EIO (Input/output error)');
    assert.match(judged(lines.toSpliced(at, 1, { text: failed })).violations.join('\n'), /was never synced/);
  });

  test('a sync counts from its beginning to its end, whatever other threads do', () => {
    const at = syncFromEnd(0);
    const [begins, ends] = halvesOf((made[at] as Line).text).map((text) => ({ text })) as [
      Pick<Line, 'text'>,
      Pick<Line, 'text'>,
    ];
    const across = judged(lines.toSpliced(at, 1, begins, ends));
    assert.deepEqual(across.violations, []);
    const beganTooEarly = judged(lines.toSpliced(at, 1, ends).toSpliced(at - 1, 0, begins));
    assert.match(beganTooEarly.violations.join('\n'), /was never synced/);
    const endedTooLate = judged([...lines.toSpliced(at, 1, begins), ends]);
    assert.match(endedTooLate.violations.join('\n'), /ended at line \d+ only/);
  });

  test('a page altered on its way to the disk is detected in the result', () => {
    const page = made.findLastIndex(({ what, text }) => what === 'write' && text.includes(', 4096, '));
    const text = (made[page] as Line).text.replace(/\\x[0-9a-f]{2}", 4096/, '\\xee", 4096');
    assert.notEqual(text, (made[page] as Line).text);
    const { syncedBefore, violations } = judged(lines.toSpliced(page, 1, { text }));
    assert.equal(syncedBefore, count, 'the order of calls is right; only the bytes are wrong');
    assert.match(violations.join('\n'), /prove-sync-00000005 was acknowledged and is not there/);
  });

  test('files whose names were not synced are lost and reported', () => {
    const { violations } = judged(made.filter(({ what }) => what !== 'folder sync'));
    assert.match(violations.join('\n'), /The file of the data space is not there/);
  });

  test('a commit with the records but without the history row is reported', () => {
    const forgetful = syntheticTrace(join(folder, 'forgetful'), count, false);
    const where = { folder: join(folder, 'judged'), seed };
    const { syncedBefore, violations } = judgeRecording(forgetful.recordingOf(forgetful.lines), where);
    assert.equal(syncedBefore, 0);
    assert.match(
      violations.join('\n'),
      /prove-sync-00000000 was acknowledged at line \d+, before its commit was written/,
    );
  });

  test('gaps and unknown calls in a trace are errors, and nothing is ignored', () => {
    const write = made.find(({ what }) => what === 'write') as Line;
    assert.throws(
      () => judged([...lines, { text: write.text.replace('pwrite64', 'pwritev2') }]),
      /pwritev2, which is not replayed/,
    );
    assert.throws(() => judged([...lines, { text: write.text.replace(/", (\d+, \d+\))/, '"..., $1') }]), /cut short/);
    assert.throws(() => judged([...lines, { text: 'something else' }]), /is not understood/);
    const { violations } = judged(lines.slice(0, -1));
    assert.match(violations.join('\n'), /answered prove-sync-00000005, and the trace does not show the answer/);
    const recording = recordingOf(lines);
    const paths = recording.spaces.map(({ path }) => path);
    assert.match(
      judgeReplay(recording.events, paths).join(),
      /The trace missed something/,
      'the end was checkpointed unseen',
    );
  });
});

if (hasStrace()) {
  test(`strace is installed: the running service syncs before it answers, seed ${seed}`, async () => {
    const options = { folder, batches: 60, clients: 6, spaces: 2, seed };
    const recording = await record(options);
    const proof = judgeRecording(recording, options);
    const paths = recording.spaces.map(({ path }) => path);
    assert.deepEqual([...proof.violations, ...judgeReplay(recording.events, paths)], []);
    assert.equal(proof.acknowledged, options.batches);
    assert.equal(proof.syncedBefore, options.batches);
    assert.ok(proof.syncs > 20, `${proof.syncs} syncs`);

    const syncs = recording.events.flatMap(({ kind }, index) => (kind === 'sync' ? [index] : []));
    const isOfLog = (index: number) => {
      const event = recording.events[index];
      return event?.kind === 'sync' && event.path.endsWith('.db-wal') && paths.includes(event.path.slice(0, -4));
    };
    const ofLog = syncs.filter(isOfLog);
    const dropped = ofLog[Math.floor(ofLog.length / 2)] as number;
    const without = judgeRecording({ ...recording, events: recording.events.toSpliced(dropped, 1) }, options);
    assert.ok(without.syncedBefore < without.acknowledged, 'one dropped sync of many must be noticed');
    assert.match(without.violations.join('\n'), /was acknowledged and is not there/);
  });
} else {
  test('weaker here: strace is not installed, only the synthetic trace was checked, not the running service', () => {});
}

test('without strace the command says how to install it', () => {
  const command = join(import.meta.dirname, '../../lab/prove/main.ts');
  const { status, stderr } = spawnSync(process.execPath, [command, 'sync', '--batches', '1'], {
    env: { ...process.env, PATH: '' },
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /apt-get install -y strace/);
});

test('the command explains its flags, and invalid values', () => {
  const command = join(import.meta.dirname, '../../lab/prove/main.ts');
  const run = (...flags: string[]) => spawnSync(process.execPath, [command, ...flags], { encoding: 'utf8' });
  assert.match(run('--help').stdout, /npm run prove/);
  const wrong = run('sync', '--batches', 'many');
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /--batches: expected a whole number of at least 1, got "many"/);
});

/** One call as two lines, as strace writes it when another thread interrupts it. */
function halvesOf(text: string): [string, string] {
  const [, head, name, rest] = /^(\d+ [\d.]+ )(\w+)(\(.*)\) = 0$/.exec(text) as unknown as string[];
  return [`${head}${name}${rest} <unfinished ...>`, `${head}<... ${name} resumed>) = 0`];
}
