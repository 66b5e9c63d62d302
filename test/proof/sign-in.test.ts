/** The proofs on sessions and secrets, in short; `npm run prove` runs them longer. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { madeUp, marked, search } from '../../lab/prove/canaries/marks.ts';
import { proveCanaries } from '../../lab/prove/canaries.ts';
import type { Proof } from '../../lab/prove/report.ts';
import { proveRevocation } from '../../lab/prove/revocation.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);

async function holds(
  context: TestContext,
  proving: (progress: (line: string) => void) => Promise<Proof>,
): Promise<Map<string, string | number>> {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const { violations, figures } = await proving(() => {});
  assert.deepEqual(violations, []);
  return new Map(figures.map(({ name, value }) => [name, value]));
}

test('an ended session is accepted nowhere, and no other session is affected', async (context) => {
  const figures = await holds(context, (progress) =>
    proveRevocation({ cycles: 10, instances: 1, thinkMs: 300, seed, progress }),
  );
  assert.ok(Number(figures.get('sessions ended')) >= 10);
  assert.ok(Number(figures.get('refused because the session was ended')) > 100);
});

test('no answer, line of the log or byte of a database contains a secret', async (context) => {
  const figures = await holds(context, (progress) => proveCanaries({ requests: 500, seed, progress }));
  assert.match(String(figures.get('answered codes')), /\b0: \d\d/);
  assert.match(String(figures.get('sign-ins at the provider, to their end')), /^1, /);
});

test('a secret would be found, in any form', () => {
  for (const secret of [madeUp('text'), madeUp('token'), marked(32).toString('hex')]) {
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const text = `${before}${secret}`;
      const forms = {
        plain: text,
        capitals: /^[0-9a-f]{64}$/.test(secret) ? `${before}${secret.toUpperCase()}` : text,
        cut: text.slice(0, before.length + 30),
        hex: Buffer.from(text).toString('hex'),
        base64: Buffer.from(text).toString('base64'),
        base64url: Buffer.from(text).toString('base64url'),
        percent: [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
        utf16: Buffer.from(text, 'utf16le').toString('latin1'),
      };
      for (const [form, hidden] of Object.entries(forms)) {
        assert.ok(search(`a b ${hidden} c`).length > 0, `${form} of "${text}"`);
      }
    }
  }
  const verifier = marked(32).toString('base64url');
  assert.ok(search(`"${verifier}"`).length > 0);
  assert.deepEqual(search(`"${verifier}"`, new Set([verifier])), []);
  assert.deepEqual(search(`${marked(16).toString('hex')} and nothing else`), []);
});
