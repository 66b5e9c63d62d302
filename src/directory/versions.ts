/** Application versions, and which data space each one's tables are in (docs/reference/tenancy.md#data-spaces). */
import type { Environment } from '../environment.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import type { DataSpaces } from '../storage/contract.ts';
import { type DirectoryDatabase, listed, requireApplication, requireCompany, writeOrExplain } from './ownership.ts';
import { type Page, type PageFields, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, refuseOtherRevision } from './revisions.ts';

export type ClientLogLevel = 'ERROR' | 'MONITOR';

export interface Version {
  readonly companyId: number;
  readonly appId: string;
  /** Dotted form, `1.0.0`. */
  readonly version: string;
  readonly spaceId: number;
  readonly logLevel: ClientLogLevel;
  /** In development: `isResetDatabase` is allowed, while no other version shares the data space. */
  readonly development: boolean;
  /** True when another version has the same data space. */
  readonly sharedSpace: boolean;
  readonly companyDisabled: boolean;
  readonly appDisabled: boolean;
  readonly versionDisabled: boolean;
  /** Whether requests are handled strictly that don't say how (`Prefer: handling=…`). */
  readonly strictHandling: boolean;
  readonly revision: number;
  /** Milliseconds. */
  readonly created: number;
}

/** A data space made for a version to come (`Versions.prepare`). */
export interface PreparedSpace {
  readonly spaceId: number;
}

export interface NewVersion {
  readonly companyId: number;
  readonly appId: string;
  readonly version: string;
  /** `shareWith`: the tables of that version are this one's too. `copyOf`: begins with a copy. Neither: empty. */
  readonly tables?: { readonly shareWith: string } | { readonly copyOf: string } | PreparedSpace;
  /** `MONITOR` when absent. */
  readonly logLevel?: ClientLogLevel;
  readonly development?: boolean;
  readonly strictHandling?: boolean;
}

export interface Versions {
  /** Of one company, or of one application, by appId and version. @throws ServiceError 130, 105 for an unknown one. */
  list(companyId: number, appId?: string): Promise<Version[]>;
  /** Of one application. @throws ServiceError 130, 105 as `list`, `malformed` as `page` */
  page(companyId: number, appId: string, request: PageRequest, limits: PageLimits): Promise<Page<Version>>;
  /** Accepts `1_0_0` and `1.0.0`. */
  find(companyId: number, appId: string, version: string): Promise<Version | null>;
  /** @throws ServiceError 105, 106 for an unknown version to share or copy, `malformed` for a bad or taken version. */
  create(version: NewVersion): Promise<Version>;
  /**
   * The data space that `create` would make or share, so that nothing but the version is left for `create` to write: an
   * act in the audit trail is one write.
   * @throws ServiceError as `create`
   */
  prepare(version: NewVersion): Promise<PreparedSpace>;
  /** Changes what is given. @throws ServiceError 105, 106, and 130 with 409 for another revision. */
  update(companyId: number, appId: string, version: string, changes: VersionChanges): Promise<Version>;
}

export interface VersionChanges {
  readonly logLevel?: ClientLogLevel;
  readonly development?: boolean;
  readonly disabled?: boolean;
  readonly strictHandling?: boolean;
  /** The one that the changes are based on. */
  readonly revision?: number;
}

const fields: PageFields = {
  version: { column: 'v.version', kind: 'text', key: true, sortable: true, filterable: true, searchable: true },
  logLevel: { column: 'v.log_level', kind: 'text', sortable: true, filterable: true },
  development: { column: 'v.development', kind: 'flag', filterable: true },
  disabled: { column: 'v.disabled', kind: 'flag', filterable: true },
  strictHandling: { column: 'v.strict_handling', kind: 'flag', filterable: true },
  created: { column: 'v.created', kind: 'whole', sortable: true },
};

/** The dotted form of a version; paths write `1_0_0` for `1.0.0` (docs/reference/requests.md#paths). */
export function normalVersion(text: string): string {
  return text.replaceAll('_', '.');
}

export function openVersions(
  db: DirectoryDatabase,
  spaces: Pick<DataSpaces, 'create' | 'copy'>,
  environment: Environment,
): Versions {
  async function find(companyId: number, appId: string, version: string): Promise<Version | null> {
    const query = joined(db, companyId).where('v.app_id', '=', appId).where('v.version', '=', normalVersion(version));
    const [row] = await db.read(query);
    return row === undefined ? null : versionOf(row);
  }
  async function found(companyId: number, appId: string, version: string): Promise<Version> {
    const present = await find(companyId, appId, version);
    if (present !== null) return present;
    await requireApplication(db, companyId, appId);
    throw new ServiceError(106, `There is no version ${quoted(version)} of application ${quoted(appId)}.`);
  }

  /** A data space of its own, there and filled before any version names it: a crash in between leaves nothing broken. */
  async function newSpace(companyId: number, appId: string, copyOf: Version | null): Promise<number> {
    const created = environment.now();
    const insert = db.build.insertInto('data_space').values({ company_id: companyId, app_id: appId, created });
    const [written] = await writeOrExplain(db, [insert.returning('id')], () =>
      requireApplication(db, companyId, appId),
    );
    const spaceId = Number(written?.rows[0]?.id);
    if (copyOf === null) await spaces.create(spaceId);
    else await spaces.copy(copyOf.spaceId, spaceId);
    return spaceId;
  }

  /** @returns the version in its dotted form */
  async function refuseTaken({ companyId, appId, version: text }: NewVersion): Promise<string> {
    const version = checkedVersion(text);
    if ((await find(companyId, appId, version)) !== null) {
      throw malformed('version', `there is a version ${quoted(version)} of application ${quoted(appId)} already.`);
    }
    await requireApplication(db, companyId, appId);
    return version;
  }

  async function spaceFor(request: NewVersion): Promise<number> {
    const { companyId, appId, tables } = request;
    if (tables === undefined) return newSpace(companyId, appId, null);
    if ('spaceId' in tables) return tables.spaceId;
    if ('shareWith' in tables) return (await found(companyId, appId, tables.shareWith)).spaceId;
    return newSpace(companyId, appId, await found(companyId, appId, tables.copyOf));
  }

  return {
    find,
    async list(companyId, appId) {
      const query = joined(db, companyId);
      const rows = await listed(db.read(appId === undefined ? query : query.where('v.app_id', '=', appId)), () =>
        appId === undefined ? requireCompany(db, companyId) : requireApplication(db, companyId, appId),
      );
      return rows.map(versionOf);
    },
    async page(companyId, appId, request, limits) {
      const query = selectVersions(db, companyId).where('v.app_id', '=', appId);
      const { results, count } = await page(db, query, fields, request, limits);
      if (count === 0) await requireApplication(db, companyId, appId);
      return { results: results.map(versionOf), count };
    },
    async prepare(request) {
      await refuseTaken(request);
      return { spaceId: await spaceFor(request) };
    },
    async create(request) {
      const { companyId, appId } = request;
      const version = await refuseTaken(request);
      const insert = db.build.insertInto('app_version').values({
        company_id: companyId,
        app_id: appId,
        version,
        space_id: await spaceFor(request),
        log_level: request.logLevel ?? 'MONITOR',
        development: Number(request.development ?? false),
        strict_handling: Number(request.strictHandling ?? false),
        created: environment.now(),
      });
      await writeOrExplain(db, [insert], async () => void (await refuseTaken(request)));
      return found(companyId, appId, version);
    },
    async update(companyId, appId, version, { revision, ...changes }) {
      const present = await found(companyId, appId, version);
      const called = `version ${quoted(present.version)}`;
      refuseOtherRevision(called, present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const update = db.build
        .updateTable('app_version')
        .set({
          log_level: changes.logLevel ?? present.logLevel,
          development: Number(changes.development ?? present.development),
          disabled: Number(changes.disabled ?? present.versionDisabled),
          strict_handling: Number(changes.strictHandling ?? present.strictHandling),
          revision: present.revision + 1,
        })
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('version', '=', present.version)
        .where('revision', '=', present.revision);
      await writeOrExplain(db, [expectOne(update)], async () =>
        refuseOtherRevision(called, (await found(companyId, appId, version)).revision, present.revision),
      );
      return found(companyId, appId, version);
    },
  };
}

/** Letters and digits in parts; no more, so that the dotted and the path form name each other. */
function checkedVersion(text: string): string {
  const version = normalVersion(text);
  if (version.length > 50 || !/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(version)) {
    throw malformed('version', `expected parts of letters and digits like 1.0.0, got ${quoted(text)}.`);
  }
  return version;
}

function joined(db: DirectoryDatabase, companyId: number) {
  return selectVersions(db, companyId).orderBy('v.app_id').orderBy('v.version');
}

function selectVersions(db: DirectoryDatabase, companyId: number) {
  return db.build
    .selectFrom('app_version as v')
    .innerJoin('application as a', (on) =>
      on.onRef('a.company_id', '=', 'v.company_id').onRef('a.app_id', '=', 'v.app_id'),
    )
    .innerJoin('company as c', 'c.id', 'v.company_id')
    .select(['v.company_id', 'v.app_id', 'v.version', 'v.space_id', 'v.log_level', 'v.development'])
    .select(['c.disabled as company_disabled', 'a.disabled as app_disabled', 'v.disabled as version_disabled'])
    .select(['v.strict_handling', 'v.revision', 'v.created'])
    .select((fields) =>
      fields
        .selectFrom('app_version as other')
        .select((other) => other.fn.countAll<number>().as('versions'))
        .whereRef('other.space_id', '=', 'v.space_id')
        .as('versions_of_space'),
    )
    .where('v.company_id', '=', companyId);
}

type JoinedRow = Awaited<ReturnType<ReturnType<typeof joined>['execute']>>[number];

function versionOf(row: JoinedRow): Version {
  if (row.log_level !== 'ERROR' && row.log_level !== 'MONITOR') {
    throw new ServiceError('internal', `version ${row.version} of ${row.app_id}: unknown log level in the directory.`);
  }
  return {
    companyId: row.company_id,
    appId: row.app_id,
    version: row.version,
    spaceId: row.space_id,
    logLevel: row.log_level,
    development: row.development === 1,
    sharedSpace: Number(row.versions_of_space) > 1,
    companyDisabled: row.company_disabled === 1,
    appDisabled: row.app_disabled === 1,
    versionDisabled: row.version_disabled === 1,
    strictHandling: row.strict_handling === 1,
    revision: row.revision,
    created: row.created,
  };
}
