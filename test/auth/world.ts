/**
 * A directory with two companies, on a real storage, and the auth module on top; the clock is stopped during a sign-in.
 */
import { hash, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type Auth, openAuth } from '../../src/auth/open.ts';
import { openSeal } from '../../src/auth/seal.ts';
import type { TenantPath } from '../../src/auth/sessions.ts';
import { role } from '../../src/caller.ts';
import { defaults, type Settings } from '../../src/config.ts';
import { type DemoProvider, startDemoProvider } from '../../src/demo/provider.ts';
import { signInAtProvider } from '../../src/demo/sign-in.ts';
import { type Directory, openDirectory } from '../../src/directory/directory.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Relational, Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { DirectoryTables } from '../../src/storage/tables.ts';
import { fewThreads, makeLaidOut } from '../engines/scratch.ts';

export const appKey = 'key-of-the-app';
export const clientId = 'sample-client';
export const redirectUri = 'http://127.0.0.1:8080/signed-in';
export const path: TenantPath = { companyId: '1', appId: 'notes', appVersion: '1_0_0' };
/** Defaults for the token, device and provider of each test. */
export const device = 'device-1';

export interface AuthWorld {
  readonly auth: Auth;
  readonly storage: Storage;
  readonly db: Relational<DirectoryTables>;
  readonly directory: Directory;
  readonly settings: Settings;
  readonly clock: { ms: number };
  /** Lines of the log, as JSON. */
  readonly logged: string[];
  readonly seal: ReturnType<typeof openSeal>;
  /** Another process: a separate cache on the same storage. */
  openAnother(): Auth;
  /** An anonymous token of the registered device. */
  anonymous(deviceUdid?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openWorld(changes: Partial<Settings> = {}): Promise<AuthWorld> {
  const scratch = await makeLaidOut();
  const settings: Settings = { ...defaults, ...fewThreads, ...scratch.settings, ...changes };
  const clock = { ms: Date.now() };
  const environment = { now: () => clock.ms, random: (bytes: number) => randomBytes(bytes) };
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const storage = await openStorage(settings, environment, log);
  const directory = openDirectory(storage, environment);
  const seal = openSeal(settings, environment);
  const open = () => openAuth({ storage, directory, settings, environment, seal, log });
  const auth = open();
  const others: Auth[] = [];
  await seed(directory);
  return {
    auth,
    storage,
    db: storage.directory,
    directory,
    settings,
    clock,
    logged,
    seal,
    openAnother() {
      const other = open();
      others.push(other);
      return other;
    },
    async anonymous(deviceUdid = device) {
      // A provider's clock runs on, and its tokens may not be far ahead of our clock.
      clock.ms = Math.max(clock.ms, Date.now());
      const token = await auth.anonymousToken(path, { appKey, deviceUDID: deviceUdid });
      const caller = await auth.settle(path, token, 'any');
      await auth.registerDevice(caller, { deviceUDID: deviceUdid }).catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.reason !== 161) throw error;
      });
      return token;
    },
    async close() {
      for (const one of [auth, ...others]) await one.close();
      await storage.close();
      await scratch.remove();
    },
  };
}

/**
 * Company 1: group 1 Sales, which may use the application, and group 2 Other. Company 2: an application of the same id.
 */
async function seed({ companies, groups, users, applications, versions }: Directory): Promise<void> {
  for (const companyId of [1, 2]) await companies.create({ id: companyId, name: `Company ${companyId}` });
  const sales = await groups.create({ companyId: 1, name: 'Sales' });
  const other = await groups.create({ companyId: 1, name: 'Other' });
  await applications.create({ companyId: 1, appId: 'notes', appKey, groupIds: [sales.id] });
  await applications.create({ companyId: 1, appId: 'open', appKey });
  await applications.create({ companyId: 2, appId: 'notes', appKey });
  for (const [companyId, appId, version] of [
    [1, 'notes', '1.0.0'],
    [1, 'notes', '2.0.0'],
    [1, 'open', '1.0.0'],
    [2, 'notes', '1.0.0'],
  ] as const) {
    await versions.create({ companyId, appId, version });
  }
  const inSales = [
    { groupId: sales.id, roleId: role.user },
    { groupId: sales.id, roleId: role.developer },
  ];
  const person = (name: string) => ({ companyId: 1, account: name, email: `${name}@example.com`, lastName: 'Test' });
  await users.create({ ...person('alice'), firstName: 'Alice', memberships: inSales });
  await users.create({ ...person('bob'), memberships: [{ groupId: other.id, roleId: role.user }] });
}

/** Starts the real demo provider, as provider `idp` of the application `notes`. */
export async function withDemoProvider(world: AuthWorld): Promise<DemoProvider> {
  const clientSecret = randomBytes(16).toString('hex');
  const client = { clientId, clientSecret, redirectUris: [redirectUri] };
  const provider = await startDemoProvider({
    port: 0,
    clients: [client],
    log: { error: (entry: unknown) => console.error(entry) },
  });
  await addClient(world, provider.issuer, clientSecret);
  return provider;
}

export async function addClient(
  { directory, seal }: AuthWorld,
  issuer: string,
  clientSecret: string,
  options: { appId?: string; scopes?: string } = {},
): Promise<void> {
  await directory.clients.create({
    companyId: 1,
    appId: options.appId ?? 'notes',
    providerName: 'idp',
    newProvider: { issuer, ...(options.scopes === undefined ? {} : { scopes: options.scopes }) },
    clientId,
    secretSealed: seal.seal(clientSecret),
    redirectUri,
  });
}

/** The body of a completely valid Login. */
export function loginBody(authToken: string, authzCode: string) {
  return {
    companyId: 1,
    appId: 'notes',
    appVersion: '1.0.0',
    authToken,
    deviceUDID: device,
    isPush: 'true',
    clientId,
    authzCode,
    authnState: hash('sha1', authToken),
  };
}

/** Authenticates and signs in at the provider; returns the code. */
export async function codeFor({ auth }: AuthWorld, token: string, login = 'alice'): Promise<string> {
  const { location } = await auth.authenticate(path, 'idp', { authToken: token, clientId });
  return (await signInAtProvider(location, login, 'any')).get('code') ?? '';
}

/** A whole sign-in. */
export async function signIn(world: AuthWorld, login = 'alice') {
  const token = await world.anonymous();
  return world.auth.login(path, 'idp', token, loginBody(token, await codeFor(world, token, login)));
}

/** For `assert.rejects`: a ServiceError with this code or fault. */
export function refusal(reason: ServiceError['reason']) {
  return (error: unknown) => {
    if (!(error instanceof ServiceError)) return false;
    if (error.reason !== reason) throw new Error(`${error.reason} came, ${reason} was expected: ${error.message}`);
    return true;
  };
}

/** Moves the token's flow and its provider to another issuer during `work`. */
export async function atIssuer<Result>(
  { db }: AuthWorld,
  token: string,
  issuer: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const provider = () => db.build.updateTable('provider').where('name', '=', 'idp').where('app_id', '=', 'notes');
  const [before] = await db.read(
    db.build.selectFrom('provider').select('issuer').where('name', '=', 'idp').where('app_id', '=', 'notes'),
  );
  const flow = db.build.updateTable('login_flow').set({ issuer }).where('token_hash', '=', hash('sha256', token));
  await db.write([provider().set({ issuer }), flow]);
  try {
    return await work();
  } finally {
    await db.write([provider().set({ issuer: String(before?.issuer) })]);
  }
}
