/**
 * Seals the secrets that must be readable again (client secrets, verifiers, push tokens): AES-256-GCM under the
 * service's key. The key's id is stored beside the text, so that keys can be exchanged
 * (docs/reference/sign-in.md#secrets).
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import { parseLocation } from '../storage/location.ts';

export interface Seal {
  /** `v1.<key id>.<iv>.<tag>.<ciphertext>`, the last three as base64url. Sealing twice never gives the same text. */
  seal(text: string): string;
  /** @throws Error when the text was not sealed here or was changed, or when its key is no longer configured. */
  open(sealed: string): string;
  /** Id of the key that seals. */
  readonly keyId: string;
  /** Ids of all available keys. */
  readonly keyIds: ReadonlySet<string>;
  /** Path of the key file if it was just created, as there was no key. */
  readonly keyFileMade: string | null;
}

const version = 'v1';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Seals with the configured key, or else with the one in `secret.key` in the data folder, which is created if missing
 * (mode 600, synced). With PostgreSQL there is no folder, and all instances need the same key, so the setting is
 * required.
 * @throws Error when a key has the wrong form, or the file can't be read or created.
 */
export function openSeal(settings: KeySettings, environment: Environment): Seal {
  const keyFile = settings.secretKey === '' ? keyFileOf(settings.storage) : null;
  const made = keyFile !== null && makeKeyFile(keyFile, environment);
  const { current, keys } = availableKeys(settings);
  if (current === null) throw new Error('There is no secret key.');
  const currentId = idOf(current);

  return {
    keyId: currentId,
    keyIds: new Set(keys.keys()),
    keyFileMade: made ? keyFile : null,
    seal(text) {
      const iv = environment.random(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', current, iv);
      cipher.setAAD(Buffer.from(`${version}.${currentId}`));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'));
      return [version, currentId, ...parts].join('.');
    },
    open(sealed) {
      const [form, keyId, ...rest] = sealed.split('.');
      const [iv, tag, ciphertext] = rest.map((part) => Buffer.from(part, 'base64url'));
      if (form !== version || keyId === undefined || rest.length !== 3)
        throw new Error('The text was not sealed here.');
      const key = keys.get(keyId);
      if (key === undefined) {
        throw new Error(`The text was sealed under the key ${keyId}, which is not configured (previousSecretKeys).`);
      }
      const decipher = createDecipheriv('aes-256-gcm', key, iv!, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(`${version}.${keyId}`));
      decipher.setAuthTag(tag!);
      return Buffer.concat([decipher.update(ciphertext!), decipher.final()]).toString('utf8');
    },
  };
}

export type KeySettings = Pick<Settings, 'secretKey' | 'previousSecretKeys' | 'storage'>;

/** By their ids; `current` is null where there is no key file yet. @throws Error when a key has the wrong form */
export function availableKeys(settings: KeySettings): {
  readonly current: Buffer | null;
  readonly keys: ReadonlyMap<string, Buffer>;
} {
  const current = currentKey(settings);
  const keys = new Map(current === null ? [] : [[idOf(current), current]]);
  for (const hex of settings.previousSecretKeys) {
    const key = keyOf(hex, 'An item of the setting previousSecretKeys');
    keys.set(idOf(key), key);
  }
  return { current, keys };
}

function currentKey({ secretKey, storage }: KeySettings): Buffer | null {
  if (secretKey !== '') return keyOf(secretKey, 'The setting secretKey');
  const keyFile = keyFileOf(storage);
  if (!existsSync(keyFile)) return null;
  return keyOf(readFileSync(keyFile, 'utf8').trim(), `The key file ${keyFile}`);
}

function keyFileOf(storage: string): string {
  const location = parseLocation(storage);
  if (location.engine === 'sqlite') return resolve(location.folder, 'secret.key');
  const advice =
    'ROWHOUSE_SECRET_KEY takes 64 hexadecimal digits, the same on every instance ("openssl rand -hex 32").';
  throw new ServiceError('malformed', `secretKey: with data on PostgreSQL it has to be set. ${advice}`);
}

function keyOf(hex: string, source: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new Error(`${source} must hold 32 bytes as 64 hex digits.`);
  return Buffer.from(hex, 'hex');
}

/** Id of the key that sealed the text. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}

/** Identifies a key without revealing it: the start of a SHA-256 over a fixed text and the key. */
export function idOf(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('rowhouse key id:'), key])).slice(0, 8);
}

/** True when it was created now. Synced before it is used, as a crash could otherwise lose what it sealed. */
function makeKeyFile(keyFile: string, environment: Environment): boolean {
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
  let file: number;
  try {
    file = openSync(keyFile, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(file, `${environment.random(keyBytes).toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const folder = openSync(dirname(keyFile), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return true;
}
