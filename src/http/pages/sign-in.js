/**
 * The first half of a sign-in (docs/reference/sign-in.md#the-way-to-a-user-token, steps 1 to 3): it ends at the provider.
 * `?company=2` names the company.
 */
import { call, kept, pageFacts, prefixOf, showProblem } from './service.js';

/** A device that is registered already is fine. */
const alreadyRegistered = 161;

goToProvider(Number(new URLSearchParams(location.search).get('company') ?? 1)).catch(showProblem);

async function goToProvider(companyId) {
  const { demo } = await pageFacts();
  if (demo === null) throw new Error('This page belongs to the demo, which is not switched on.');
  const prefix = prefixOf(demo, companyId);
  const deviceUDID = `browser-${crypto.randomUUID()}`;
  const anonymous = await call(`${prefix}/anonymousTokens?${new URLSearchParams({ appKey: demo.appKey, deviceUDID })}`);
  const authToken = anonymous.json.results;
  await call(`${prefix}/devices`, {
    token: authToken,
    body: { deviceUDID, deviceName: 'Browser', osType: 'browser' },
    fine: [alreadyRegistered],
  });
  // A browser hides the headers of a redirect from scripts; for JSON, the service answers 200 with the header.
  const { response } = await call(
    `${prefix}/auth/oidc/${demo.providerName}/Authenticate?${new URLSearchParams({ authToken, clientId: demo.clientId })}`,
    { accept: 'application/json' },
  );
  kept.set('signIn', { companyId, authToken, deviceUDID });
  location.replace(response.headers.get('location'));
}
