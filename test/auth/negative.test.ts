/**
 * Sign-ins that must fail, against the whole service over HTTP and a real provider behind a falsifying proxy. Each case
 * gets the documented code, and writes nothing: no session, account or identity. The flow is used up or not, as
 * documented; one that is not used up still works with a valid request.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import { answerCases } from './negative/answers.cases.ts';
import type { NegativeCase } from './negative/case.ts';
import { claimCases } from './negative/claims.cases.ts';
import {
  assertFlow,
  assertNothingWritten,
  assertRefused,
  codeFrom,
  countRows,
  type House,
  openHouse,
  rightRequest,
  send,
} from './negative/house.ts';
import { providerCases } from './negative/provider.cases.ts';
import { requestCases } from './negative/request.cases.ts';
import { rightCases } from './negative/right.cases.ts';
import { signatureCases } from './negative/signature.cases.ts';

const groups: Readonly<Record<string, readonly NegativeCase[]>> = {
  'claims of the ID token': claimCases,
  'signature and form of the ID token': signatureCases,
  'answers of the token endpoint and of UserInfo': answerCases,
  'metadata, keys and redirect addresses': providerCases,
  'requests of the client': requestCases,
};

let house: House;
let countBefore: Awaited<ReturnType<typeof countRows>>;
let letIn = 0;
before(async () => {
  house = await openHouse();
  const { answer } = await house.begin('device-of-the-other');
  house.proxy.facts.otherNonce = String(new URL(String(answer.headers.location)).searchParams.get('nonce'));
  countBefore = await countRows(house);
});
after(() => house.close());

let number = 0;
async function refuse(one: NegativeCase): Promise<void> {
  const device = `negative-${number}`;
  const person = `person-${number++}`;
  const place =
    one.tenant === undefined && one.registered === undefined
      ? undefined
      : await house.addTenant(one.tenant ?? {}, one.registered);
  const begun = await house.begin(device, place);
  const context = { house, token: begun.token, device, person };
  if (one.atStart) {
    assertRefused(begun.answer, one.code);
  } else {
    assert.equal(begun.answer.status, 302, begun.answer.text);
    const code = await codeFrom(String(begun.answer.headers.location), person);
    assert.equal(code === null, one.noCode === true, 'whether the provider makes a code');
    if (code !== null) house.proxy.secrets.push(code);
    house.proxy.lieAboutCode(code ?? '', one.lies ?? {});
    await one.meanwhile?.(context);
    const right = rightRequest(begun, code ?? 'made-up');
    assertRefused(await send(house, (await one.request?.(right, context)) ?? right), one.code);
    await assertFlow(house, begun.token, one.flow);
    await assertNothingWritten(house, device, person);
    if (one.meanwhile !== undefined || one.noCode) return;
    const again = await send(house, right);
    if (one.flow === 'open') {
      assertEnvelope(again, 0);
      letIn += 1;
      return;
    }
    assertRefused(again, 115);
  }
  await assertFlow(house, begun.token, one.flow);
  await assertNothingWritten(house, device, person);
}

describe('valid sign-ins succeed', { concurrency: 6 }, () => {
  for (const one of rightCases) {
    test(one.what, async () => {
      const place = one.tenant === undefined ? house.place : await house.addTenant(one.tenant);
      const person = `right-${number++}`;
      const begun = await house.begin(person, place);
      const code = String(await codeFrom(String(begun.answer.headers.location), person));
      house.proxy.lieAboutCode(code, one.lies ?? {});
      const right = rightRequest(begun, code);
      assertEnvelope(await send(house, { ...right, body: { ...right.body, ...one.body?.(right.body, house) } }), 0);
      letIn += 1;
    });
  }
});

for (const [what, cases] of Object.entries(groups)) {
  describe(what, { concurrency: 6 }, () => {
    for (const one of cases) test(`${one.code}: ${one.what}`, () => refuse(one));
  });
}

test('only valid sign-ins succeeded', async (context) => {
  const now = await countRows(house);
  assert.deepEqual(now, {
    users: countBefore.users + letIn,
    identities: countBefore.identities + letIn,
    memberships: countBefore.memberships + letIn,
  });
  assert.ok(!house.proxy.asked.some((path) => path.endsWith('/other')), 'no redirect was followed');
  const all = Object.values(groups).flat();
  assert.equal(new Set(all.map(({ code, what }) => `${code}: ${what}`)).size, all.length, 'each case has a name');
  assert.ok(all.length >= 150);
  context.diagnostic(`${all.length} negative cases, all refused with the documented code`);
});
