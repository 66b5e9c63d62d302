/**
 * The page that the provider redirects to: the second half of a sign-in
 * (docs/reference/sign-in.md#the-way-to-a-user-token, step 5), and a first query.
 */
import { call, kept, pageFacts, part, prefixOf, showProblem, stateOf } from './service.js';

const returned = new URLSearchParams(location.search);
// The code is for one use; it must not stay in the address bar, the history, or a copied link.
history.replaceState(null, '', location.pathname);

try {
  const { demo } = await pageFacts();
  if (demo === null) throw new Error('This page belongs to the demo, which is not switched on.');
  if (returned.has('code') || returned.has('error')) await finishSignIn(demo);
  const session = kept.get('session');
  if (session === null) location.replace('./');
  else show(demo, session);
} catch (error) {
  part('title').textContent = 'Not signed in';
  part('back').hidden = false;
  showProblem(error);
}

async function finishSignIn(demo) {
  const started = kept.get('signIn');
  kept.forget('signIn');
  kept.forget('session');
  if (returned.has('error')) throw new Error(`The identity provider refused the sign-in: ${returned.get('error')}.`);
  if (started === null) throw new Error('No sign-in was begun in this tab.');
  const { companyId, authToken, deviceUDID } = started;
  const authnState = await stateOf(authToken);
  if (returned.get('state') !== authnState) throw new Error('The answer belongs to another sign-in.');
  const { json } = await call(`${prefixOf(demo, companyId)}/auth/oidc/${demo.providerName}/Login`, {
    token: authToken,
    body: {
      companyId,
      appId: demo.appId,
      appVersion: demo.appVersion,
      authToken,
      deviceUDID,
      isPush: 'false',
      clientId: demo.clientId,
      authzCode: returned.get('code'),
      authnState,
      ...(returned.has('iss') ? { iss: returned.get('iss') } : {}),
    },
  });
  kept.set('session', { companyId, authInfo: json.authInfo });
}

function show(demo, { companyId, authInfo }) {
  const { userTokens: token, userInfo, groupsAndRoles, validTime } = authInfo;
  const prefix = prefixOf(demo, companyId);
  const url = `${prefix}/data/query/${demo.table}`;
  const body = { from: { phyName: demo.table, alias: 'n' } };

  part('title').textContent = `Hello ${userInfo.fistName || userInfo.account}`;
  part('account').textContent = [userInfo.fistName, userInfo.lastName, `(${userInfo.account})`].join(' ').trim();
  part('company').textContent = demo.companies.find(({ id }) => id === companyId)?.name ?? String(companyId);
  for (const { groupName, roleName } of groupsAndRoles) {
    const item = document.createElement('li');
    item.textContent = `${groupName}: ${roleName}`;
    part('roles').append(item);
  }
  part('life').textContent = `${Math.round(validTime / 60_000)} minutes`;
  part('token').textContent = token;
  part('query').textContent =
    `curl -s ${location.origin}${url} -H 'service-token: ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  part('session').hidden = false;

  for (const button of document.querySelectorAll('[data-copies]')) {
    button.addEventListener('click', () => copy(part(button.dataset.copies)).catch(showProblem));
  }
  part('run').addEventListener('click', () => run(url, token, body).catch(showProblem));
  part('sign-out').addEventListener('click', () => signOut(prefix, token).catch(showProblem));
}

async function copy(source) {
  await navigator.clipboard.writeText(source.textContent);
  part('copied').textContent = 'Copied.';
}

async function run(url, token, body) {
  part('problem').textContent = '';
  const { json } = await call(url, { token, body });
  part('answer').textContent = JSON.stringify(json, null, 2);
  part('answer').hidden = false;
}

async function signOut(prefix, token) {
  kept.forget('session');
  await call(`${prefix}/auth/logout`, { token, body: {} });
  location.assign('./');
}
