/**
 * The demo's clients know one identity provider, so only one instance on the same data can run it: a second one would
 * break the sign-in of the first.
 */
import type { Seal } from '../auth/seal.ts';
import type { Directory } from '../directory/directory.ts';
import { malformed } from '../errors.ts';
import { demoApp, demoCompanies } from './company.ts';

/** How long a provider left in the directory by an earlier start may take to answer. */
const answerTimeMs = 1_000;

/** @throws ServiceError `malformed` when another instance runs the provider for these data */
export async function refuseSecondDemo(deps: {
  readonly directory: Pick<Directory, 'clients'>;
  readonly seal: Pick<Seal, 'open'>;
}): Promise<void> {
  const { appId, providerName, clientId } = demoApp;
  const companyId = demoCompanies[0]?.id ?? 1;
  const client = await deps.directory.clients.find(companyId, appId, providerName, clientId);
  if (client === null || client.secretSealed === null || !client.issuer.startsWith('http://127.0.0.1:')) return;
  if (!(await holdsSecret(client.issuer, clientId, opened(deps.seal, client.secretSealed)))) return;
  throw malformed(
    'demo',
    `another instance with --demo serves this data; its identity provider answers at ${client.issuer}. Start this one without --demo: the demo's companies are available, and tokens are valid on every instance.`,
  );
}

/** Null for a secret sealed with an unknown key, thus by an instance of another installation. */
function opened(seal: Pick<Seal, 'open'>, sealed: string): string | null {
  try {
    return seal.open(sealed);
  } catch {
    return null;
  }
}

/** Each start has its own secret, so only the provider of these data accepts it, and no other program on its port. */
async function holdsSecret(issuer: string, clientId: string, secret: string | null): Promise<boolean> {
  if (secret === null) return false;
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'none', redirect_uri: issuer });
  try {
    const signal = AbortSignal.timeout(answerTimeMs);
    const answer = await fetch(`${issuer}/token`, { method: 'POST', headers: { authorization }, body, signal });
    return ((await answer.json()) as { error?: unknown } | null)?.error === 'invalid_grant';
  } catch {
    return false;
  }
}
