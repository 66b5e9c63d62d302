/**
 * How the pages talk to the service they came from. `page.json`, beside them, tells what they are to show:
 * `{name, version, demo: null | {appId, appVersion, appKey, providerName, clientId, table, companies: [{id, name}]}}`.
 */

/** The context root: what stands before the page's own name. */
const base = location.pathname.replace(/\/[^/]*$/, '');

/** What is kept for this tab only: `signIn` while the provider is asked, `session` after it. */
export const kept = {
  get: (name) => JSON.parse(sessionStorage.getItem(`rowhouse.${name}`) ?? 'null'),
  set: (name, value) => sessionStorage.setItem(`rowhouse.${name}`, JSON.stringify(value)),
  forget: (name) => sessionStorage.removeItem(`rowhouse.${name}`),
};

export async function pageFacts() {
  return (await fetch(`${base}/page.json`)).json();
}

/** Where the operations of the company's demo application are. */
export function prefixOf(demo, companyId) {
  return `${base}/api/${companyId}/${demo.appId}/${demo.appVersion.replaceAll('.', '_')}`;
}

/**
 * Calls an operation and answers the response with its JSON.
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

/** `authnState` of a token: SHA-1 in hexadecimal. Browsers have it on https and on this machine only. */
export async function stateOf(token) {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(token));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The element with the id. */
export function part(id) {
  return document.getElementById(id);
}

/** Shows what went wrong in the page's place for it. */
export function showProblem(error) {
  part('problem').textContent = error instanceof Error ? error.message : String(error);
}
