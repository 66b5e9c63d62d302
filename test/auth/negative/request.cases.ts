/**
 * Invalid requests of a client to Login: in the order of its checks
 * (docs/reference/sign-in.md#the-order-of-logins-checks), and with exchanged codes, flows and tokens.
 */
import assert from 'node:assert/strict';
import { anonymousToken, authenticate, type LoginBody } from '../../harness/sign-in.ts';
import { app, sha1, sha256 } from '../../harness/world.ts';
import type { CaseContext, NegativeCase } from './case.ts';
import { assertRefused, codeFrom, type Sent, send } from './house.ts';
import { otherClient } from './provider.ts';

type Field = keyof LoginBody;
const fields: readonly Field[] = [
  ...(['companyId', 'appId', 'appVersion', 'authToken', 'deviceUDID'] as const),
  ...(['isPush', 'clientId', 'authzCode', 'authnState'] as const),
];

const open = (code: number, what: string, request: NegativeCase['request'] & {}): NegativeCase => ({
  what,
  code,
  request,
  flow: 'open',
});
const body =
  (change: (sent: Sent['body'], context: CaseContext) => object) =>
  (right: Sent, context: CaseContext): Sent => ({
    ...right,
    body: { ...right.body, ...change(right.body, context) },
  });
const text = (value: unknown) => String(value);

const missing: NegativeCase[] = fields.flatMap((field) => [
  open(
    198,
    `${field} missing`,
    body(() => ({ [field]: undefined })),
  ),
  open(
    198,
    `${field} null`,
    body(() => ({ [field]: null })),
  ),
]);
const empty = fields
  .filter((field) => field !== 'companyId' && field !== 'isPush')
  .map((field) =>
    open(
      198,
      `${field} empty`,
      body(() => ({ [field]: '' })),
    ),
  );

const strange: NegativeCase[] = [
  open(
    198,
    'a code with a NUL',
    body(({ authzCode }) => ({ authzCode: `${authzCode}\0` })),
  ),
  open(
    198,
    'a device with a NUL',
    body(({ deviceUDID }) => ({ deviceUDID: `${deviceUDID}\0` })),
  ),
  open(
    198,
    'a code that is a list',
    body(({ authzCode }) => ({ authzCode: [authzCode] })),
  ),
  open(
    198,
    'a code that is an object',
    body(({ authzCode }) => ({ authzCode: { $ne: authzCode } })),
  ),
  open(
    198,
    'a client that is a list',
    body(({ clientId }) => ({ clientId: [clientId] })),
  ),
  open(
    198,
    'a code that is far too long',
    body(() => ({ authzCode: 'x'.repeat(100_000) })),
  ),
  open(
    198,
    'a company that is a word',
    body(() => ({ companyId: 'one' })),
  ),
];

const asToken = (change: (token: string) => string | undefined) => (right: Sent) => ({
  ...right,
  header: change(text(right.header)),
});
const tokens: NegativeCase[] = [
  open(
    121,
    'no token in the header',
    asToken(() => undefined),
  ),
  open(
    121,
    'an unknown token in the header',
    asToken(() => 'f'.repeat(64)),
  ),
  open(
    121,
    'the token in capitals',
    asToken((token) => token.toUpperCase()),
  ),
  open(
    121,
    'the token cut',
    asToken((token) => token.slice(0, -1)),
  ),
  open(
    121,
    'the token with something behind it',
    asToken((token) => `${token}0`),
  ),
  open(121, 'the hash of the token', asToken(sha256)),
  open(
    121,
    'two tokens',
    asToken((token) => `${token}, ${token}`),
  ),
  open(
    121,
    'the token as a bearer',
    asToken((token) => `Bearer ${token}`),
  ),
  open(112, 'another token in the body', async (right, { house, device }) => ({
    ...right,
    body: { ...right.body, authToken: await anonymousToken(house.world, device) },
  })),
  open(112, 'another token in the header', async (right, { house, device }) => ({
    ...right,
    header: await anonymousToken(house.world, device),
  })),
  open(
    112,
    'the token of the body cut',
    body(({ authToken }) => ({ authToken: text(authToken).slice(1) })),
  ),
  open(
    112,
    'the token of the body in capitals',
    body(({ authToken }) => ({ authToken: `${authToken}`.toUpperCase() })),
  ),
  open(
    112,
    'the hash of the token in the body',
    body(({ authToken }) => ({ authToken: sha256(text(authToken)) })),
  ),
];

const tenants: NegativeCase[] = [
  open(
    104,
    'another company in the body',
    body(() => ({ companyId: 2 })),
  ),
  open(
    104,
    'a company that nobody has',
    body(() => ({ companyId: 4_711 })),
  ),
  open(
    104,
    'another application in the body',
    body((_sent, { house }) => ({ appId: house.elsewhere.appId })),
  ),
  open(
    104,
    'the application in capitals',
    body(({ appId }) => ({ appId: text(appId).toUpperCase() })),
  ),
  open(
    104,
    'another version in the body',
    body(() => ({ appVersion: '2.0.0' })),
  ),
  open(
    104,
    'the version with a space',
    body(({ appVersion }) => ({ appVersion: `${appVersion} x` })),
  ),
  open(104, 'another company in the path', (right, { house }) => ({
    ...right,
    place: { ...right.place, prefix: house.world.foreignPrefix },
  })),
  open(104, 'another application in the path', (right, { house }) => ({
    ...right,
    place: { ...right.place, prefix: house.elsewhere.prefix },
  })),
  open(104, 'another version in the path', (right) => ({
    ...right,
    place: { ...right.place, prefix: `/api/1/${app.appId}/2_0_0` },
  })),
  open(
    160,
    'another device',
    body(() => ({ deviceUDID: 'device-of-alice' })),
  ),
  open(
    160,
    'the device in capitals',
    body(({ deviceUDID }) => ({ deviceUDID: text(deviceUDID).toUpperCase() })),
  ),
  open(
    160,
    'the device with a space',
    body(({ deviceUDID }) => ({ deviceUDID: `${deviceUDID} ` })),
  ),
  open(
    113,
    'a client of nobody',
    body(() => ({ clientId: 'nobody' })),
  ),
  open(
    113,
    'the client in capitals',
    body(({ clientId }) => ({ clientId: text(clientId).toUpperCase() })),
  ),
  open(
    113,
    'a client of another provider of the application',
    body(() => ({ clientId: app.clientId })),
  ),
  open(113, 'a provider of nobody', (right) => ({ ...right, place: { ...right.place, provider: 'nobody' } })),
  open(113, 'the provider in capitals', (right) => ({ ...right, place: { ...right.place, provider: 'MAIN' } })),
  open(
    115,
    'another client of the same provider',
    body(() => ({ clientId: otherClient })),
  ),
  open(115, 'another provider of the application, with its client', async (right) => ({
    ...right,
    body: { ...right.body, clientId: app.clientId },
    place: { ...right.place, provider: app.providerName },
  })),
];

const states: NegativeCase[] = [
  open(
    114,
    'the state of another token',
    body(() => ({ authnState: sha1('f'.repeat(64)) })),
  ),
  open(
    114,
    'the state cut',
    body(({ authnState }) => ({ authnState: text(authnState).slice(0, -1) })),
  ),
  open(
    114,
    'the state with something behind it',
    body(({ authnState }) => ({ authnState: `${authnState}0` })),
  ),
  open(
    114,
    'the state with a space',
    body(({ authnState }) => ({ authnState: ` ${authnState}` })),
  ),
  open(
    114,
    'SHA-256 instead of SHA-1',
    body(({ authToken }) => ({ authnState: sha256(text(authToken)) })),
  ),
  open(
    114,
    'the token itself as the state',
    body(({ authToken }) => ({ authnState: authToken })),
  ),
  open(
    114,
    'the state of the token in capitals',
    body(({ authToken }) => ({
      authnState: sha1(text(authToken).toUpperCase()),
    })),
  ),
  open(
    114,
    'the nonce of nobody as the state',
    body(() => ({ authnState: '0'.repeat(40) })),
  ),
];

/** A code of another sign-in of the same client. */
async function foreignCode({ house, device, person }: CaseContext, clientId = house.place.clientId): Promise<string> {
  const begun = await house.begin(`${device}-other`, { ...house.place, clientId });
  const code = await codeFrom(text(begun.answer.headers.location), person);
  assert.ok(code !== null);
  return code;
}
const used = (code: number, what: string, request: NegativeCase['request'] & {}): NegativeCase => ({
  what,
  code,
  request,
  flow: 'used',
});
const issuers = (values: Readonly<Record<string, (issuer: string) => string>>): NegativeCase[] =>
  Object.entries(values).map(([what, iss]) =>
    used(
      115,
      `iss of ${what}`,
      body((_sent, { house }) => ({ iss: iss(house.proxy.issuer) })),
    ),
  );

const inDirectory =
  (change: (context: CaseContext, tokenHash: string) => { table: 'token' | 'login_flow'; set: object }) =>
  async (context: CaseContext): Promise<void> => {
    const tokenHash = sha256(context.token);
    const { table, set } = change(context, tokenHash);
    const { build, write } = context.house.world.server.storage.directory;
    const query =
      table === 'token'
        ? build.updateTable('token').set(set).where('hash', '=', tokenHash)
        : build.updateTable('login_flow').set(set).where('token_hash', '=', tokenHash);
    const [written] = await write([query]);
    assert.equal(written?.changed, 1);
  };

const codes: NegativeCase[] = [
  used(
    111,
    'a code that nobody made',
    body(() => ({ authzCode: 'made-up' })),
  ),
  used(
    111,
    'the code cut',
    body(({ authzCode }) => ({ authzCode: text(authzCode).slice(0, -1) })),
  ),
  used(
    111,
    'the code in capitals',
    body(({ authzCode }) => ({ authzCode: `${authzCode}A`.toUpperCase() })),
  ),
  used(
    111,
    'the code twice',
    body(({ authzCode }) => ({ authzCode: `${authzCode} ${authzCode}` })),
  ),
  used(
    111,
    'a code with further fields',
    body(({ authzCode }) => ({ authzCode: `${authzCode}&code_verifier=x` })),
  ),
  used(111, 'a code of another flow of the same person', async (right, context) => ({
    ...right,
    body: { ...right.body, authzCode: await foreignCode(context) },
  })),
  used(111, 'a code that was made for another client', async (right, context) => ({
    ...right,
    body: { ...right.body, authzCode: await foreignCode(context, otherClient) },
  })),
  {
    what: 'a code of the flow that was begun before this one',
    code: 111,
    meanwhile: async ({ house, token }) => {
      assert.equal((await authenticate(house.world, token, house.place)).status, 302);
    },
    flow: 'used',
  },
  used(111, 'a code that was redeemed already, in the same flow', async (right, context) => {
    const { proxy } = context.house;
    const code = text(right.body.authzCode);
    proxy.lieAboutCode(code, { idToken: { claims: { nonce: 'another' } } });
    assertRefused(await send(context.house, right), 116);
    proxy.lieAboutCode(code, {});
    await inDirectory(() => ({ table: 'login_flow', set: { used: 0 } }))(context);
    return right;
  }),
  ...issuers({
    'another provider of the application': (issuer) => `${issuer}/t-0`,
    'a stranger': () => 'https://evil.example',
    'no address': () => 'issuer',
    'the provider over https': (issuer) => issuer.replace('http:', 'https:'),
    'the provider with a path': (issuer) => `${issuer}/x`,
    'the provider with a user name': (issuer) => issuer.replace('//', '//x@'),
  }),
];

const later: NegativeCase[] = [
  {
    what: 'the anonymous token has expired meanwhile',
    code: 121,
    meanwhile: inDirectory(() => ({ table: 'token', set: { expires: Date.now() - 1 } })),
    flow: 'open',
  },
  {
    what: 'the anonymous token was revoked meanwhile',
    code: 121,
    meanwhile: inDirectory(() => ({ table: 'token', set: { revoked: 1 } })),
    flow: 'open',
  },
  {
    what: 'the flow has expired',
    code: 115,
    meanwhile: inDirectory(() => ({ table: 'login_flow', set: { expires: Date.now() - 1 } })),
    flow: 'open',
  },
  {
    what: 'the flow was used',
    code: 115,
    meanwhile: inDirectory(() => ({ table: 'login_flow', set: { used: 1 } })),
    flow: 'used',
  },
  {
    what: 'the flow went to another client',
    code: 115,
    meanwhile: inDirectory(() => ({ table: 'login_flow', set: { client_id: otherClient } })),
    flow: 'open',
  },
  {
    what: 'the flow went to another issuer',
    code: 115,
    meanwhile: inDirectory(({ house }) => ({ table: 'login_flow', set: { issuer: `${house.proxy.issuer}/t-0` } })),
    flow: 'used',
  },
  {
    what: 'the flow has another redirect address',
    code: 111,
    meanwhile: inDirectory(({ house }) => ({
      table: 'login_flow',
      set: { redirect_uri: `${house.proxy.issuer}/elsewhere` },
    })),
    flow: 'used',
  },
  {
    what: 'the flow has another nonce',
    code: 116,
    meanwhile: inDirectory(() => ({ table: 'login_flow', set: { nonce: 'another' } })),
    flow: 'used',
  },
  {
    what: 'the device is not registered any more',
    code: 163,
    meanwhile: async ({ house, device }) => {
      const { build, write } = house.world.server.storage.directory;
      await write([build.deleteFrom('device').where('udid', '=', device)]);
    },
    flow: 'open',
  },
];

export const requestCases: readonly NegativeCase[] = [
  ...missing,
  ...empty,
  ...strange,
  ...tokens,
  ...tenants,
  ...states,
  ...codes,
  ...later,
];
