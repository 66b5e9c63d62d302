/** Caching of a provider's data, key rotation during sign-ins, and a provider that is down, slow or broken. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import type { Place } from '../harness/sign-in.ts';
import { assertRefused, codeFrom, type House, openHouse, rightRequest, send } from './negative/house.ts';
import { ellipticKey, type SigningKey } from './negative/keys.ts';
import type { Alter, SignInLies } from './negative/proxy.ts';

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house.close());

let people = 0;
async function signIn(place: Place, lies: () => SignInLies = () => ({})): Promise<Answer> {
  const person = `somebody-${people++}`;
  const begun = await house.begin(person, place);
  const code = String(await codeFrom(String(begun.answer.headers.location), person));
  house.proxy.lieAboutCode(code, lies());
  return send(house, rightRequest(begun, code));
}
const asked = (path: string) => house.proxy.asked.filter((one) => one === path).length;
const signedWith = (key: SigningKey): SignInLies => ({ idToken: { key, header: { kid: key.kid } } });

test('concurrent sign-ins fetch metadata and keys once, and again when they are old', async () => {
  const place = await house.addTenant({});
  const metadata = `${place.provider}/.well-known/openid-configuration`;
  const keys = `${place.provider}/jwks`;
  for (const answer of await Promise.all(Array.from({ length: 6 }, () => signIn(place)))) assertEnvelope(answer, 0);
  assertEnvelope(await signIn(place), 0);
  assert.deepEqual([asked(metadata), asked(keys)], [1, 1]);
  house.world.clock.offsetMs += 601_000;
  const begun = await house.begin('later', place);
  assert.equal(begun.answer.status, 302);
  house.world.clock.offsetMs -= 601_000;
  assert.deepEqual([asked(metadata), asked(keys)], [2, 1]);
});

test('the provider changes its key while people sign in: no valid token fails, and the old key is rejected', async () => {
  const place = await house.addTenant({});
  const [oldKey, newKey] = [house.proxy.signingKey, ellipticKey('rotated-key')];
  let current = oldKey;
  const outcomes: { readonly key: SigningKey; readonly endedAfter: boolean; readonly code: unknown }[] = [];
  async function person(): Promise<void> {
    while (outcomes.length < 60) {
      let key = current;
      const answer = await signIn(place, () => {
        key = current;
        return signedWith(key);
      });
      outcomes.push({ key, endedAfter: current !== key, code: valueAt(answer.json, 'errCode') });
      if (outcomes.length === 20) {
        current = newKey;
        house.proxy.signingKey = newKey;
      }
    }
  }
  await Promise.all(Array.from({ length: 6 }, person));
  const failed = outcomes.filter(({ key, endedAfter, code }) => code !== 0 && (key === newKey || !endedAfter));
  assert.deepEqual(failed, []);
  assert.ok(outcomes.filter(({ key }) => key === newKey).length >= 30);
  assert.equal(asked(`${place.provider}/jwks`), 2, 'the keys were fetched once more');
  assertRefused(await signIn(place, () => signedWith(oldKey)), 116);
  assert.equal(asked(`${place.provider}/jwks`), 2, 'and not again for a key that is gone');
  assertEnvelope(await signIn(place, () => signedWith(newKey)), 0);
});

test('a provider that is down, slow or broken is distinguished, and tried again at the next sign-in', async () => {
  const kinds: Readonly<Record<string, [Alter, RegExp]>> = {
    down: [() => ({ status: 503 }), /cannot be reached/],
    slow: [() => ({ how: 'never' }), /did not answer in time/],
    unusable: [() => ({ status: 302, headers: { location: '/other' } }), /cannot be used/],
  };
  for (const [what, [metadata, description]] of Object.entries(kinds)) {
    const place = await house.addTenant({ metadata });
    const { answer } = await house.begin(`at-${what}`, place);
    assertRefused(answer, 117);
    assert.match(String(valueAt(answer.json, 'description')), description);
    house.proxy.lieAsTenant(place.provider, {});
    assertEnvelope(await signIn(place), 0);
  }
});

test('one that went down after Authenticate uses up the flow, and the next attempt succeeds', async () => {
  const place = await house.addTenant({});
  assertRefused(await signIn(place, () => ({ token: () => ({ status: 500 }) })), 117);
  assertEnvelope(await signIn(place), 0);
});
