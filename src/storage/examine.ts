/**
 * Examines a whole installation at rest, on either engine: whether every part exists, belongs to this installation, and
 * is intact. Changes nothing and migrates nothing to a newer layout.
 */
import {
  type HighestIds,
  highestIdsOf,
  type Identity,
  sameIdentity,
  seenColumns,
  seenIds,
  valuesOf,
  wrongIdentity,
} from './identity.ts';
import type { Store } from './transfer.ts';

/** An engine's view of a storage that is not in use. */
export interface ExaminedStorage {
  /** The data spaces that have files or schemas. */
  spaces(): Promise<readonly number[]>;
  /** The store's location, for messages. */
  nameOf(store: Store): string;
  /** Null if there is no store. */
  layout(store: Store): Promise<{ readonly present: number; readonly newest: number } | null>;
  /** Faults that the database reports. */
  faults(store: Store): Promise<readonly string[]>;
  /** @param sql names tables with the prefix `"~".`, which stands for the store */
  rows(store: Store, sql: string): Promise<readonly (readonly unknown[])[]>;
  hasTable(store: Store, table: string): Promise<boolean>;
  /**
   * The last commit number that a data space of the newest layout has handed out, and the highest one of its tombstones
   * and records. An engine may skip tables that would take long to read.
   */
  commits(spaceId: number): Promise<{ readonly last: number; readonly highest: number }>;
  /** The last id that each counter of the directory handed out, by table. */
  lastId(table: string): Promise<number>;
  close(): Promise<void>;
}

export interface Finding {
  /** `note`: nothing is wrong, or nothing can be done about it. */
  readonly severity: 'fault' | 'note';
  /** The file or schema. */
  readonly place: string;
  readonly problem: string;
}

/** One secret, or several of a kind, by the key that seals them. */
export interface ExaminedSecrets {
  readonly keyId: string;
  readonly what: string;
  /** An administrator has marked it as lost. */
  readonly isLost: boolean;
}

export interface Examined {
  /** Null for layouts without identities. */
  readonly installation: string | null;
  readonly dataSpaces: number;
  readonly findings: readonly Finding[];
  readonly secrets: readonly ExaminedSecrets[];
}

export async function examine(storage: ExaminedStorage, told: (done: number, of: number) => void): Promise<Examined> {
  const findings: Finding[] = [];
  const note = (severity: Finding['severity'], store: Store, problem: string) =>
    void findings.push({ severity, place: storage.nameOf(store), problem });
  const present = await storage.spaces();
  const stores: readonly Store[] = ['directory', 'logs', ...present];
  const sound = new Set<Store>();
  for (const [index, store] of stores.entries()) {
    told(index, stores.length);
    if (await isSound(storage, store, note)) sound.add(store);
  }
  told(stores.length, stores.length);
  if (!sound.has('directory')) return { installation: null, dataSpaces: present.length, findings, secrets: [] };

  await compareSpaces(storage, present, note);
  const installation = await installationOf(storage, note);
  if (installation === null) return { installation, dataSpaces: present.length, findings, secrets: [] };
  await compareIdentities(
    storage,
    stores.filter((store) => store !== 'directory' && sound.has(store)),
    installation,
    note,
  );
  return { installation: installation.id, dataSpaces: present.length, findings, secrets: await secretsOf(storage) };
}

type Note = (severity: Finding['severity'], store: Store, problem: string) => void;

/** Whether the store can be examined further. */
async function isSound(storage: ExaminedStorage, store: Store, note: Note): Promise<boolean> {
  try {
    const layout = await storage.layout(store);
    if (layout === null) {
      note(
        store === 'logs' ? 'note' : 'fault',
        store,
        store === 'logs' ? 'It is missing; a start creates it.' : 'It is empty.',
      );
      return false;
    }
    const faults = await storage.faults(store);
    for (const fault of faults) note('fault', store, fault);
    if (layout.present > layout.newest) {
      note(
        'fault',
        store,
        `It has layout ${layout.present}, made by a newer Rowhouse; this one knows ${layout.newest}.`,
      );
      return false;
    }
    if (layout.present < layout.newest) note('note', store, 'It is from an older version; a start upgrades it.');
    else if (typeof store === 'number' && faults.length === 0) await compareCommits(storage, store, note);
    return faults.length === 0;
  } catch (error) {
    note('fault', store, `It can't be read: ${(error as Error).message}`);
    return false;
  }
}

/** A number handed out twice would hide a change from a reader that relies on the numbers. */
async function compareCommits(storage: ExaminedStorage, spaceId: number, note: Note): Promise<void> {
  const { last, highest } = await storage.commits(spaceId);
  if (highest <= last) return;
  note(
    'fault',
    spaceId,
    `Its counter of commits is at ${last}, and a record or tombstone has the number ${highest}: part of it is older.`,
  );
}

/** Compares the data spaces named in the directory with those that exist. */
async function compareSpaces(storage: ExaminedStorage, present: readonly number[], note: Note): Promise<void> {
  const rows = await storage.rows(
    'directory',
    `SELECT s.id, s.company_id, s.app_id, (SELECT count(*) FROM "~".app_version v WHERE v.space_id = s.id)
      FROM "~".data_space s ORDER BY s.id`,
  );
  const named = new Map(
    rows.map(([id, company, app, versions]) => [Number(id), { company, app, isUsed: Number(versions) > 0 }]),
  );
  for (const [id, { company, app, isUsed }] of named) {
    const whose = `data space ${id} of company ${company}, application ${app}`;
    if (!present.includes(id)) {
      if (isUsed) note('fault', 'directory', `It names ${whose}, which is not there.`);
      else note('note', 'directory', `It names ${whose}, which was never created; no version uses it.`);
    } else if (!isUsed) note('note', id, 'No version uses it: the creation of its version did not complete.');
  }
  for (const id of present) {
    if (!named.has(id))
      note('fault', id, 'The directory does not list it: the directory is older, or this is a leftover.');
  }
  const last = await storage.lastId('data_space');
  const highest = present.reduce((most, id) => Math.max(most, id), 0);
  if (highest > last) note('fault', 'directory', `It is older than data space ${highest}: it has numbered ${last}.`);
}

interface Installation {
  readonly id: string;
  readonly isSettled: boolean;
}

async function installationOf(storage: ExaminedStorage, note: Note): Promise<Installation | null> {
  if (!(await storage.hasTable('directory', 'installation'))) {
    note(
      'note',
      'directory',
      'The installation has no identity yet; the next start gives one to each of its databases.',
    );
    return null;
  }
  const [row] = await storage.rows('directory', 'SELECT id, is_settled FROM "~".installation');
  return { id: String(row?.[0]), isSettled: Number(row?.[1]) === 1 };
}

async function compareIdentities(
  storage: ExaminedStorage,
  stores: readonly Store[],
  { id: installation, isSettled }: Installation,
  note: Note,
): Promise<void> {
  const handedOut = highestIdsOf(await Promise.all(seenIds.map(({ table }) => storage.lastId(table))));
  for (const store of stores) {
    const expected: Identity = { installation, spaceId: typeof store === 'number' ? store : null };
    const told = await identityIn(storage, store);
    const found = told?.identity ?? null;
    if (found === null && !isSettled) note('note', store, 'The next start gives it the id of the installation.');
    else if (found === null || !sameIdentity(found, expected))
      note('fault', store, wrongIdentity(found, expected).message);
    else compareIds(told?.seen as HighestIds, handedOut, (problem) => note('fault', store, problem));
  }
}

async function identityIn(
  storage: ExaminedStorage,
  store: Store,
): Promise<{ identity: Identity | null; seen: HighestIds } | null> {
  if (!(await storage.hasTable(store, '_identity'))) return null;
  const [row = []] = await storage.rows(store, `SELECT installation, space_id, ${seenColumns} FROM "~"._identity`);
  const [installation, spaceId, ...seen] = row;
  const identity =
    typeof installation === 'string' ? { installation, spaceId: spaceId === null ? null : Number(spaceId) } : null;
  return { identity, seen: highestIdsOf(seen) };
}

function compareIds(seen: HighestIds, handedOut: HighestIds, fault: (problem: string) => void): void {
  for (const [index, { table, name }] of seenIds.entries()) {
    const last = valuesOf(handedOut)[index] as number;
    if (seen[name] <= last) continue;
    fault(
      `It has seen the id ${seen[name]} of "${table}", and the directory handed out ${last} at most: the directory is older. The next start skips these ids.`,
    );
  }
}

async function secretsOf(storage: ExaminedStorage): Promise<ExaminedSecrets[]> {
  const lost = new Set(
    (await storage.rows('directory', 'SELECT id FROM "~".secret_key WHERE lost IS NOT NULL')).map(([id]) => String(id)),
  );
  const clients = await storage.rows(
    'directory',
    `SELECT substr(secret_sealed, 4, 8), company_id, app_id, provider_name, client_id FROM "~".oidc_client
      WHERE secret_sealed IS NOT NULL ORDER BY company_id, app_id, provider_name, client_id`,
  );
  const devices = await storage.rows(
    'directory',
    `SELECT substr(push_token_sealed, 4, 8), company_id, app_id, count(*) FROM "~".device
      WHERE push_token_sealed IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 2, 3`,
  );
  const secret = (keyId: unknown, company: unknown, app: unknown, what: string): ExaminedSecrets => ({
    keyId: String(keyId),
    what: `${what} of company ${company}, application ${app}`,
    isLost: lost.has(String(keyId)),
  });
  return [
    ...clients.map(([key, company, app, provider, client]) =>
      secret(key, company, app, `the secret of client ${client} of provider ${provider}`),
    ),
    ...devices.map(([key, company, app, count]) => secret(key, company, app, `${count} push tokens`)),
  ];
}
