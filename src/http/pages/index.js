/** The first page: what runs here and, with the demo, the first half of a sign-in (interface.md §5, steps 1 to 3). */
import { call, kept, pageFacts, part, prefixOf, showProblem } from './service.js';

/** A device that is registered already is fine. */
const alreadyRegistered = 161;

try {
  const { version, demo } = await pageFacts();
  part('version').textContent = version;
  if (demo !== null) offerSignIn(demo);
} catch (error) {
  showProblem(error);
}

function offerSignIn(demo) {
  for (const { id, name } of demo.companies) part('company').append(new Option(`${id}: ${name}`, String(id)));
  part('demo').hidden = false;
  part('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    part('problem').textContent = '';
    goToProvider(demo, Number(part('company').value)).catch(showProblem);
  });
}

async function goToProvider(demo, companyId) {
  const prefix = prefixOf(demo, companyId);
  const deviceUDID = `browser-${crypto.randomUUID()}`;
  const anonymous = await call(`${prefix}/anonymousTokens?${new URLSearchParams({ appKey: demo.appKey, deviceUDID })}`);
  const authToken = anonymous.json.results;
  await call(`${prefix}/devices`, {
    token: authToken,
    body: { deviceUDID, deviceName: 'Browser', osType: 'browser' },
    fine: [alreadyRegistered],
  });
  // A browser hides the header of a redirect from scripts; asked for JSON, the service answers 200 with the header.
  const { response } = await call(
    `${prefix}/auth/oidc/${demo.providerName}/Authenticate?${new URLSearchParams({ authToken, clientId: demo.clientId })}`,
    { accept: 'application/json' },
  );
  kept.set('signIn', { companyId, authToken, deviceUDID });
  location.assign(response.headers.get('location'));
}
