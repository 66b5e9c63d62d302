/**
 * Issues anonymous tokens: a client's first token, for the key of its application (docs/reference/sign-in.md#tokens).
 */
import type { Settings } from '../config.ts';
import { appKeyHash } from '../directory/applications.ts';
import type { Directory } from '../directory/directory.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import { isWellFormed } from '../text.ts';
import { deviceTextMax, requiredField } from './fields.ts';
import { saved } from './saving.ts';
import type { TenantPath } from './sessions.ts';
import { insertToken } from './token-rows.ts';
import { newToken, sameText } from './tokens.ts';

export interface AnonymousTokenInput {
  readonly appKey?: string | undefined;
  readonly deviceUDID?: string | undefined;
}

export interface AnonymousDeps {
  readonly db: Relational<DirectoryTables>;
  readonly directory: Pick<Directory, 'applications' | 'versions'>;
  readonly settings: Pick<Settings, 'anonymousTokenLifeMs'>;
  readonly environment: Environment;
}

const appKeyMax = 1_000;

/**
 * A new anonymous token for the device.
 * @throws ServiceError `missing` a field · 101 no such application version, or not with this key: one message for both,
 * so that it does not reveal which applications exist · 201 not saved.
 */
export async function anonymousToken(
  { db, directory, settings, environment }: AnonymousDeps,
  path: TenantPath,
  input: AnonymousTokenInput,
): Promise<string> {
  const appKey = requiredField('appKey', input.appKey, appKeyMax);
  const deviceUdid = requiredField('deviceUDID', input.deviceUDID, deviceTextMax);
  const unknown = () => new ServiceError(101, 'There is no such application version with this appKey.');
  // No database can store such a text.
  if (!isWellFormed(path.appId) || !isWellFormed(path.appVersion)) throw unknown();
  const companyId = /^[1-9]\d{0,9}$/.test(path.companyId) ? Number(path.companyId) : 0;
  const application = await directory.applications.find(companyId, path.appId);
  const version = await directory.versions.find(companyId, path.appId, path.appVersion);
  const rightKey = sameText(appKeyHash(appKey), application?.appKeyHash ?? '');
  const serves = version !== null && !version.companyDisabled && !version.appDisabled && !version.disabled && rightKey;
  if (!serves) throw unknown();

  const token = newToken(environment);
  const created = environment.now();
  const life = settings.anonymousTokenLifeMs;
  const insert = insertToken(db, token, {
    kind: 'anonymous',
    companyId,
    appId: version.appId,
    version: version.version,
    deviceUdid,
    userId: null,
    isPush: false,
    created,
    validTime: life,
    expires: created + life,
  });
  await saved(201, 'The anonymous token could not be saved.', db.write([insert]));
  return token;
}
