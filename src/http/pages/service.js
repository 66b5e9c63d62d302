/**
 * Calls from the pages to their service. `page.json`, next to them, has what they show: `{name, version, demo: null |
 * {appId, appVersion, appKey, providerName, clientId, table, companies: [{id, name}]}}`.
 */

/** The context root: the path before the page's own name. */
const base = location.pathname.replace(/\/[^/]*$/, '');

/** Stored for this tab only: `signIn` during the sign-in at the provider, `session` afterwards. */
export const kept = {
  get: (name) => JSON.parse(sessionStorage.getItem(`rowhouse.${name}`) ?? 'null'),
  set: (name, value) => sessionStorage.setItem(`rowhouse.${name}`, JSON.stringify(value)),
  forget: (name) => sessionStorage.removeItem(`rowhouse.${name}`),
};

export async function pageFacts() {
  return (await fetch(`${base}/page.json`)).json();
}

/** The path prefix of operations of the company's demo application. */
export function prefixOf(demo, companyId) {
  return `${base}/api/${companyId}/${demo.appId}/${demo.appVersion.replaceAll('.', '_')}`;
}

/**
 * Calls an operation and returns the response with its JSON.
 * @throws Error with the code and the description, unless the code is one of `fine`
 */
export async function call(url, { token, body, accept, fine = [] } = {}) {
  const headers = {};
  if (token !== undefined) headers['service-token'] = token;
  if (accept !== undefined) headers.accept = accept;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  const code = Number(json.errCode ?? 0);
  if (code !== 0 && !fine.includes(code)) throw new Error(`${json.description} (code ${code})`);
  return { response, json };
}

/** `authnState` of a token: SHA-1 in hexadecimal. Browsers offer it only on https and on the same machine. */
export async function stateOf(token) {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(token));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The element with the id. */
export function part(id) {
  return document.getElementById(id);
}

/** Shows the error on the page. */
export function showProblem(error) {
  part('problem').textContent = error instanceof Error ? error.message : String(error);
}
