/** The first page of the administration: sign-in, and who is signed in. */
import { call, onSubmit, pageFacts, part, showProblem } from './call.js';

/** Codes that mean that nobody is signed in: signed out, expired, disabled. */
const nobody = [110, 120, 121];
const refusals = {
  111: 'The identity provider refused the sign-in.',
  115: 'No sign-in was under way in this browser, or it took too long. Try again.',
  117: 'The identity provider can not be reached at the moment.',
  119: 'Your account at the identity provider is not one of an administrator here.',
};

const refused = /^#refused=(\d+)$/.exec(location.hash)?.[1];
history.replaceState(null, '', location.pathname);
if (refused !== undefined) showProblem(refusals[refused] ?? `The sign-in was refused (code ${refused}).`);

onSubmit(part('sign-in'), async (input) => {
  await call('POST', 'sign-in', { body: input });
  part('sign-in').reset();
  await show();
});
part('provider').addEventListener('click', async () => {
  try {
    location.assign((await call('POST', 'sign-in/oidc')).location);
  } catch (error) {
    showProblem(error);
  }
});
part('sign-out').addEventListener('click', async () => {
  try {
    const { csrfToken } = await call('GET', 'session');
    await call('POST', 'sign-out', { csrfToken });
    location.reload();
  } catch (error) {
    showProblem(error);
  }
});

try {
  const { version, hasProvider } = await pageFacts();
  part('version').textContent = version;
  part('provider').hidden = !hasProvider;
  await show();
} catch (error) {
  showProblem(error);
}

async function show() {
  try {
    const { kind, account, companyId, memberships } = await call('GET', 'me');
    part('account').textContent = account;
    part('kind').textContent =
      kind === 'administrator' ? 'administrator of the installation' : `of company ${companyId}`;
    part('roles').replaceChildren(...(memberships ?? []).map(roleItem));
    part('sign-in').hidden = true;
    part('signed-in').hidden = false;
  } catch (error) {
    if (!nobody.includes(error.code)) throw error;
    part('sign-in').hidden = false;
    part('signed-in').hidden = true;
  }
}

function roleItem({ groupName, roleName }) {
  const item = document.createElement('li');
  item.textContent = `${groupName}: ${roleName}`;
  return item;
}
