/**
 * Prevents a silent change of keys: the directory stores the ids of the keys that seal its secrets. Secrets that no
 * available key opens are reported before another key seals anything.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { auditInsert } from '../audit/trail.ts';
import type { Environment } from '../environment.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { Relational, Storage } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { availableKeys, type KeySettings, openSeal, type Seal } from './seal.ts';

interface SealDeps {
  readonly storage: Pick<Storage, 'directory'>;
  readonly settings: KeySettings;
  readonly environment: Environment;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The seal for a directory that may hold sealed secrets already.
 * @param newKey gives up secrets that can't be opened: marks them as lost and logs them
 * @throws ServiceError `malformed` that names the secrets that can't be opened, unless they are marked as lost already
 */
export async function openSealOf(deps: SealDeps, { newKey = false } = {}): Promise<Seal> {
  const { storage, settings, environment, log } = deps;
  const db = storage.directory;
  const { keys } = availableKeys(settings);
  const known = await db.read(db.build.selectFrom('secret_key').select(['id', 'lost']));
  const missing = known.filter(({ id, lost }) => lost === null && !keys.has(id)).map(({ id }) => id);
  const secrets = await sealedUnder(db, missing);
  if (secrets.length > 0) {
    const told = tell(secrets);
    if (!newKey) throw new ServiceError('malformed', `secretKey: ${refusal(told)}`);
    await giveUp(deps, missing, told);
    log.warn({ keys: missing }, `These secrets are lost, because their key is missing: ${told}. ${enterAnew}`);
  }
  const seal = openSeal(settings, environment);
  // A key that was given up as lost and then found opens its secrets again.
  const found = known.filter(({ id, lost }) => lost !== null && keys.has(id)).map(({ id }) => id);
  if (found.length > 0)
    await db.write([db.build.updateTable('secret_key').set({ lost: null }).where('id', 'in', found)]);
  if (!known.some(({ id }) => id === seal.keyId)) {
    const insert = db.build.insertInto('secret_key').values({ id: seal.keyId, lost: null });
    await db.write([insert.onConflict((on) => on.doNothing())]);
  }
  return seal;
}

/** A secret sealed under a key: a client's, or the push tokens of an application's devices. */
interface SealedSecret {
  readonly keyId: string;
  readonly companyId: number;
  readonly appId: string;
  /** Null for push tokens. */
  readonly client: { readonly providerName: string; readonly clientId: string } | null;
  readonly count: number;
}

/** Only lasting secrets; a sign-in under way must be started again. */
async function sealedUnder(db: Relational<DirectoryTables>, keyIds: readonly string[]): Promise<SealedSecret[]> {
  if (keyIds.length === 0) return [];
  const clientKey = sql<string>`substr(secret_sealed, 4, 8)`;
  const clients = await db.read(
    db.build
      .selectFrom('oidc_client')
      .select(['company_id', 'app_id', 'provider_name', 'client_id', clientKey.as('key_id')])
      .where(clientKey, 'in', keyIds)
      .orderBy('company_id')
      .orderBy('app_id'),
  );
  const deviceKey = sql<string>`substr(push_token_sealed, 4, 8)`;
  const devices = await db.read(
    db.build
      .selectFrom('device')
      .select(['company_id', 'app_id', deviceKey.as('key_id')])
      .select((fields) => fields.fn.countAll<number>().as('devices'))
      .where(deviceKey, 'in', keyIds)
      .groupBy(['company_id', 'app_id', deviceKey])
      .orderBy('company_id')
      .orderBy('app_id'),
  );
  return [
    ...clients.map((row) => ({
      keyId: row.key_id,
      companyId: row.company_id,
      appId: row.app_id,
      client: { providerName: row.provider_name, clientId: row.client_id },
      count: 1,
    })),
    ...devices.map((row) => ({
      keyId: row.key_id,
      companyId: row.company_id,
      appId: row.app_id,
      client: null,
      count: Number(row.devices),
    })),
  ];
}

/** How many are listed by name. */
const toldMax = 20;

function tell(secrets: readonly SealedSecret[]): string {
  const more = secrets.length > toldMax ? ` and ${secrets.length - toldMax} more` : '';
  return `${secrets.slice(0, toldMax).map(describeSealed).join('; ')}${more}`;
}

function describeSealed({ keyId, companyId, appId, client, count }: SealedSecret): string {
  const what =
    client === null
      ? `${count} push tokens`
      : `the secret of client ${quoted(client.clientId)} of provider ${quoted(client.providerName)}`;
  return `${what} of company ${companyId}, application ${quoted(appId)} (key ${keyId})`;
}

const enterAnew =
  'Enter the secret of each client again ("rowhouse client update --secret-file", or the administration); devices send their push tokens again when they register.';

function refusal(told: string): string {
  return `the key is missing that opens ${told}. Put it back: the file secret.key beside directory.db, or ROWHOUSE_SECRET_KEY; an earlier key goes into ROWHOUSE_PREVIOUS_SECRET_KEYS. If it is lost, "rowhouse serve --new-key" abandons these secrets and continues with another key. ${enterAnew}`;
}

async function giveUp({ storage, environment }: SealDeps, keyIds: readonly string[], told: string): Promise<void> {
  const db = storage.directory;
  const time = environment.now();
  await db.write([
    db.build.updateTable('secret_key').set({ lost: time }).where('id', 'in', keyIds),
    auditInsert(db, {
      ...{ time, actor: { kind: 'operator' }, action: 'secret.lose', companyId: null, appId: null, outcome: 'done' },
      target: `keys ${keyIds.join(', ')}`,
      detail: { lost: told },
    }),
  ]);
}
