/**
 * A realm of a real Keycloak for one run, created and removed through its admin REST API, and a browser at its pages.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fetchWithCookies, newCookieJar } from '../../src/demo/cookie-jar.ts';

export const redirectUri = 'http://127.0.0.1:8400/signed-in';
export const clientSecret = 'the secret of the client in the test realm';
export const userPassword = 'a password for the test realm';

export interface Realm {
  readonly issuer: string;
  /** Returns the subject. A user with the name of an earlier one replaces it. */
  addUser(user: {
    readonly name: string;
    readonly isVerified: boolean;
    readonly groups: readonly string[];
  }): Promise<void>;
  /** Makes the realm sign with a new key. */
  rotateKeys(): Promise<void>;
  remove(): Promise<void>;
}

/** @throws Error that names missing settings */
export async function makeRealm(): Promise<Realm> {
  const url = needed('ROWHOUSE_TEST_KEYCLOAK_URL').replace(/\/$/, '');
  const username = needed('ROWHOUSE_TEST_KEYCLOAK_ADMIN');
  const password = needed('ROWHOUSE_TEST_KEYCLOAK_PASSWORD');
  const name = `rowhouse-test-${randomBytes(4).toString('hex')}`;

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    // Requested each time, because the token is valid for a minute.
    const form = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', username, password });
    const given = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body: form });
    assert.equal(given.status, 200, 'Keycloak gives the administrator no token.');
    const { access_token: token } = (await given.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  await call('POST', '', {
    realm: name,
    enabled: true,
    sslRequired: 'none',
    groups: [{ name: 'sales' }],
    clients: clients(),
  });
  return {
    issuer: `${url}/realms/${name}`,
    async addUser({ name: account, isVerified, groups }) {
      const there = (await call('GET', `/${name}/users?exact=true&username=${account}`)) as { id: string }[];
      for (const { id } of there) await call('DELETE', `/${name}/users/${id}`);
      await call('POST', `/${name}/users`, {
        username: account,
        enabled: true,
        email: `${account}@example.com`,
        emailVerified: isVerified,
        firstName: account,
        lastName: 'Tester',
        groups,
        credentials: [{ type: 'password', value: userPassword, temporary: false }],
      });
    },
    async rotateKeys() {
      await call('POST', `/${name}/components`, {
        name: 'rotated',
        providerId: 'rsa-generated',
        providerType: 'org.keycloak.keys.KeyProvider',
        config: { priority: ['500'], algorithm: ['RS256'], keySize: ['2048'] },
      });
    },
    remove: async () => void (await call('DELETE', `/${name}`)),
  };
}

function needed(name: string): string {
  const value = process.env[name] ?? '';
  if (value !== '') return value;
  throw new Error(
    `${name} is not set. This test needs a Keycloak that it may make a realm in; docs/how-to/sign-in-with-keycloak.md tells how to get one.`,
  );
}

/** As in docs/how-to/sign-in-with-keycloak.md, but with groups only in UserInfo, which is signed. */
function clients() {
  const common = {
    redirectUris: [redirectUri],
    standardFlowEnabled: true,
    directAccessGrantsEnabled: false,
    attributes: { 'pkce.code.challenge.method': 'S256', 'user.info.response.signature.alg': 'RS256' },
    protocolMappers: [
      {
        name: 'groups',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-group-membership-mapper',
        config: {
          'claim.name': 'groups',
          'full.path': 'true',
          'id.token.claim': 'false',
          'userinfo.token.claim': 'true',
        },
      },
    ],
  };
  return [
    { ...common, clientId: 'crm-web', publicClient: false, secret: clientSecret },
    { ...common, clientId: 'crm-phone', publicClient: true },
  ];
}

/** A browser that keeps its session at Keycloak. */
export function openBrowser() {
  const jar = newCookieJar();
  /** Follows redirects up to the application's own address, or a page. */
  async function go(address: string, form: URLSearchParams | null = null): Promise<{ url: URL; page: string | null }> {
    let url = new URL(address);
    let sent = form;
    for (let step = 0; step < 10; step++) {
      if (url.href.startsWith(redirectUri)) return { url, page: null };
      const answer = await fetchWithCookies(jar, url, sent);
      const location = answer.headers.get('location');
      if (location === null) return { url, page: await answer.text() };
      url = new URL(location, url);
      sent = null;
    }
    throw new Error('Keycloak redirects without end.');
  }
  /** Submits the form of a page with its hidden fields and these. */
  function submit(page: string, fields: Readonly<Record<string, string>>, at: URL) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.notEqual(action, '', `The page has no form: ${page.slice(0, 2_000)}`);
    const hidden = [...page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].flatMap(([input]) => {
      const name = /name="([^"]*)"/.exec(input)?.[1];
      return name === undefined ? [] : [[name, /value="([^"]*)"/.exec(input)?.[1] ?? '']];
    });
    return go(new URL(action, at).href, new URLSearchParams([...hidden, ...Object.entries(fields)]));
  }
  return {
    go,
    submit,
    /** The query of the redirect address after the form, or at once if there is a session. */
    async signIn(location: string, username: string): Promise<URLSearchParams> {
      const { url, page } = await go(location);
      if (page === null) return url.searchParams;
      const back = await submit(page, { username, password: userPassword }, url);
      assert.equal(back.page, null, `Keycloak did not send the browser back: ${back.page?.slice(0, 2_000)}`);
      return back.url.searchParams;
    },
  };
}
