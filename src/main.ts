/** The composition root: settings → storage → features → server, as an object that is started and closed. */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { warnOfOtherIssuer } from './administration/identities.ts';
import { startSettlingIntents } from './administration/intents.ts';
import { type Administration, openAdministration } from './administration/open.ts';
import { beginSetUp } from './administration/set-up.ts';
import { type Auth, openAuth } from './auth/open.ts';
import { openSealOf } from './auth/secret-keys.ts';
import type { Settings } from './config.ts';
import { dataContext } from './data/context.ts';
import { openRunningJobs } from './data/running-jobs.ts';
import { type DemoParts, demoFacts, startDemo } from './demo/start.ts';
import { type Directory, openDirectory } from './directory/directory.ts';
import { openQuotas } from './directory/quotas.ts';
import { type Environment, systemEnvironment } from './environment.ts';
import { buildServer } from './http/server.ts';
import type { ServiceState } from './http/state.ts';
import type { SettingOrigins } from './load-settings.ts';
import { openLog } from './log.ts';
import { openLogs } from './logs/logs.ts';
import { openJoinStatistics } from './statistics/joins.ts';
import { openStatistics } from './statistics/statistics.ts';
import type { Storage } from './storage/contract.ts';
import { requireSafeNodes } from './storage/health.ts';
import { openStorage } from './storage/open.ts';

export interface StartOptions {
  /** With the demo company and its identity provider (`demo/`); `shown` when `prepareRowhouse` has started it. */
  readonly demo: boolean | 'shown';
  /** Gives up secrets that no available key opens; otherwise they prevent the start. */
  readonly newKey?: boolean;
  readonly environment?: Environment;
  readonly log?: Logger;
  /** The sources of the settings; any not listed and not at its default comes from the caller. */
  readonly origins?: SettingOrigins;
}

export interface Rowhouse {
  /** The service's address with the context root, without a trailing slash. */
  readonly url: string;
  readonly settings: Settings;
  readonly storage: Storage;
  readonly directory: Directory;
  readonly auth: Auth;
  readonly administration: Administration;
  readonly demo: DemoParts | null;
  /** A new link for the first administrator, which is a secret; null once there is an administrator. */
  setUpLink(): Promise<string | null>;
  /** Path of the key file when this start created one. */
  readonly keyFileMade: string | null;
  /** Stops accepting requests, answers the running ones, and closes every file. Further calls wait for the same end. */
  close(): Promise<void>;
}

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/** The result of preparing once for several processes. */
export interface Prepared {
  readonly demo: DemoParts | null;
  /** As `Rowhouse.setUpLink`, created in advance. */
  readonly setUpLink: string | null;
  close(): Promise<void>;
}

/**
 * Does what several processes of one instance need once: the storage's layout, and the demo at the address where they
 * will answer.
 * @throws Error when the database or the demo's provider cannot be opened; nothing stays open then
 */
export async function prepareRowhouse(
  settings: Settings,
  options: { readonly demo: boolean; readonly newKey?: boolean; readonly url: string; readonly log: Logger },
): Promise<Prepared> {
  const environment = systemEnvironment;
  const { log, url } = options;
  const storage = await openStorage(settings, environment, log);
  try {
    requireSafeNodes(await storage.check());
    const directory = openDirectory(storage, environment);
    const seal = await openSealOf({ storage, settings, environment, log }, options);
    const demo = options.demo ? await startDemo({ storage, directory, seal, settings, environment, log, url }) : null;
    const setUpLink = linkOf(url, await beginSetUp({ storage, settings, environment }));
    return { demo, setUpLink, close: async () => demo?.close() };
  } finally {
    await storage.close();
  }
}

/** The secret follows the `#`, which browsers do not send. */
function linkOf(url: string, secret: string | null): string | null {
  return secret === null ? null : `${url}/admin/set-up#${secret}`;
}

/** The address at which clients reach the service, with the context root, when it listens at the given address. */
export function urlOf(settings: Settings, address: string): string {
  return `${settings.publicUrl || address}${settings.basePath}`;
}

/** @throws Error when a file, the address or the demo's provider cannot be opened; nothing stays open then */
export async function startRowhouse(settings: Settings, options: StartOptions): Promise<Rowhouse> {
  const environment = options.environment ?? systemEnvironment;
  const log = options.log ?? openLog(settings);
  const open: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      for (const end of open.reverse()) await end();
    })();
    return closing;
  };
  try {
    const storage = await openStorage(settings, environment, log);
    open.push(() => storage.close());
    // Takes the write lock of the data spaces, so that a second server on the same folder fails at its start.
    requireSafeNodes(await storage.check());
    const directory = openDirectory(storage, environment);
    const seal = await openSealOf({ storage, settings, environment, log }, options);
    const auth = openAuth({ storage, directory, settings, environment, seal, log, limited: options.demo === false });
    open.push(() => auth.close());
    const quotas = openQuotas({ storage, settings, log });
    open.push(() => quotas.close());
    const joins = openJoinStatistics({ storage, settings, environment, log });
    open.push(() => joins.close());
    const runningJobs = openRunningJobs({ storage, environment, log });
    open.push(() => runningJobs.close());
    const data = dataContext(storage, settings, environment, seal, quotas, joins, runningJobs);
    const logs = openLogs(storage, settings, environment);
    const administration = openAdministration({
      storage,
      directory,
      auth,
      logs,
      data,
      settings,
      environment,
      log,
      seal,
    });
    open.push(await startSettlingIntents(administration));
    await warnOfOtherIssuer(storage, settings, log);
    const statistics = openStatistics({ storage, settings, environment, log });
    open.push(() => statistics.close());
    const state: ServiceState = { stage: 'starting' };
    const server = buildServer({
      settings,
      origins: options.origins ?? {},
      state,
      environment,
      log,
      data,
      directory,
      quotas,
      auth,
      logs,
      administration,
      seal,
      statistics,
      demo: options.demo === false ? null : demoFacts,
      version,
    });
    open.push(() => server.close());
    const address = await server.listen();
    const url = urlOf(settings, address);
    let demo: DemoParts | null = null;
    if (options.demo === true) {
      demo = await startDemo({ storage, directory, seal, settings, environment, log, url });
      open.push(demo.close);
    }
    const setUpLink = async () => linkOf(url, await beginSetUp(administration));
    state.stage = 'ready';
    return {
      url,
      settings,
      storage,
      directory,
      auth,
      administration,
      demo,
      setUpLink,
      keyFileMade: seal.keyFileMade,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
