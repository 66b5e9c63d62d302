/** Starts the demo: its identity provider, then its companies, whose clients need the provider's address. */
import type { Logger } from 'pino';
import type { Seal } from '../auth/seal.ts';
import type { Settings } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import type { Environment } from '../environment.ts';
import type { Storage } from '../storage/contract.ts';
import { demoApp, demoCompanies, demoTable, seedDemo } from './company.ts';
import { refuseSecondDemo } from './only-one.ts';
import { type DemoProvider, startDemoProvider } from './provider.ts';

export interface DemoDeps {
  readonly storage: Storage;
  readonly directory: Directory;
  readonly seal: Seal;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly log: Logger;
  /** The address of the service. */
  readonly url: string;
}

export interface DemoParts {
  /** Address of the demo's identity provider. */
  readonly issuer: string;
  close(): Promise<void>;
}

/** What pages and external tools may know of the demo. */
export const demoFacts = {
  appId: demoApp.appId,
  appVersion: demoApp.version,
  appKey: demoApp.appKey,
  providerName: demoApp.providerName,
  clientId: demoApp.clientId,
  table: demoTable,
  companies: demoCompanies.map(({ id, name }) => ({ id, name })),
} as const;

const secretBytes = 32;

/** @throws ServiceError `malformed` when another instance runs the demo, or the data are not the demo's */
export async function startDemo(deps: DemoDeps): Promise<DemoParts> {
  const { environment, url } = deps;
  await refuseSecondDemo(deps);
  const clientSecret = environment.random(secretBytes).toString('hex');
  const redirectUri = `${url}/signed-in`;
  const provider = await startProvider(deps, [
    { clientId: demoApp.clientId, clientSecret, redirectUris: [redirectUri] },
    { clientId: demoApp.localClientId, clientSecret, redirectUris: [demoApp.localRedirectUri], isLocal: true },
  ]);
  try {
    await seedDemo({ ...deps, issuer: provider.issuer, clientSecret, redirectUri });
  } catch (error) {
    await provider.close();
    throw error;
  }
  return { issuer: provider.issuer, close: provider.close };
}

/** Uses the port after the service's own, or any free port where that is taken. */
async function startProvider(
  { settings, log }: DemoDeps,
  clients: Parameters<typeof startDemoProvider>[0]['clients'],
): Promise<DemoProvider> {
  const port = settings.port === 0 ? 0 : settings.port + 1;
  try {
    return await startDemoProvider({ port, clients, log });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startDemoProvider({ port: 0, clients, log });
  }
}
