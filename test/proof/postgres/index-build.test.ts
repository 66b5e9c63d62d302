/** A short run of `npm run prove -- index-build` on PostgreSQL; times are not judged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveIndexBuild } from '../../../lab/prove/index-build.ts';
import { serverUrl } from '../../engines/server.ts';

test('while indexes are built, every write is stored or refused, and reads are answered', async (context) => {
  const progress = (line: string) => context.diagnostic(line);
  const { violations } = await proveIndexBuild({
    rows: 3_000,
    slowestMsMax: null,
    server: await serverUrl(),
    progress,
  });
  assert.deepEqual(violations, []);
});
