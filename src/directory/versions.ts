/** Application versions, and which data space has the tables of each (docs/reference/tenancy.md#data-spaces). */
import type { ChangesOf, NewOf, RowOf } from '../entities/entity.ts';
import { version } from '../entities/tenants.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import type { DataSpaces, WriteStatement } from '../storage/contract.ts';
import { type DirectoryDatabase, listed, requireApplication, requireCompany, writeOrExplain } from './ownership.ts';
import { type Page, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, type Further, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { rowsOf } from './rows.ts';

export interface Version extends RowOf<typeof version> {
  /** True when another version has the same data space. */
  readonly sharedSpace: boolean;
  readonly companyDisabled: boolean;
  readonly appDisabled: boolean;
}

/** A data space made for a future version (`Versions.prepare`). */
export interface PreparedSpace {
  readonly spaceId: number;
}

export interface NewVersion extends NewOf<typeof version> {
  readonly companyId: number;
  readonly appId: string;
  /** `shareWith`: uses that version's tables. `copyOf`: starts with a copy. Neither: starts empty. */
  readonly tables?: { readonly shareWith: string } | { readonly copyOf: string } | PreparedSpace;
}

export type VersionChanges = ChangesOf<typeof version>;

export interface Versions {
  /**
   * Those of one company or application, ordered by appId and version.
   * @throws ServiceError 130, 105 for an unknown one.
   */
  list(companyId: number, appId?: string): Promise<Version[]>;
  /** Of one application. @throws ServiceError 130, 105 as `list`, `malformed` as `page` */
  page(companyId: number, appId: string, request: PageRequest, limits: PageLimits): Promise<Page<Version>>;
  /** Accepts `1_0_0` and `1.0.0`. */
  find(companyId: number, appId: string, version: string): Promise<Version | null>;
  /** As `find`. @throws ServiceError 106 for an unknown one, 105, 130 for an unknown application or company. */
  get(companyId: number, appId: string, version: string): Promise<Version>;
  /** @throws ServiceError 105, 106 for an unknown version to share or copy, `malformed` for a bad or taken version. */
  create(version: NewVersion, further?: readonly WriteStatement[]): Promise<Version>;
  /**
   * The data space that `create` would make or share, so that `create` only has to write the version, because an
   * audited action is one write.
   * @throws ServiceError as `create`
   */
  prepare(version: NewVersion): Promise<PreparedSpace>;
  /** Changes the given fields. @throws ServiceError 105, 106, and 130 with 409 for another revision. */
  update(
    companyId: number,
    appId: string,
    version: string,
    changes: VersionChanges,
    further?: Further<Version>,
  ): Promise<Version>;
}

const rows = rowsOf(version, { version: checkedVersion }, 'v');

/** The dotted form of a version; paths write `1_0_0` for `1.0.0` (docs/reference/requests.md#paths). */
export function normalVersion(text: string): string {
  return text.replaceAll('_', '.');
}

export function openVersions(
  db: DirectoryDatabase,
  spaces: Pick<DataSpaces, 'create' | 'copy'>,
  environment: Environment,
): Versions {
  async function find(companyId: number, appId: string, named: string): Promise<Version | null> {
    const query = joined(db, companyId).where('v.app_id', '=', appId).where('v.version', '=', normalVersion(named));
    const [row] = await db.read(query);
    return row === undefined ? null : versionOf(row);
  }
  async function get(companyId: number, appId: string, named: string): Promise<Version> {
    const present = await find(companyId, appId, named);
    if (present !== null) return present;
    await requireApplication(db, companyId, appId);
    throw new ServiceError(106, `There is no version ${quoted(named)} of application ${quoted(appId)}.`);
  }

  /** Makes a data space and fills it before any version refers to it, so a crash in between breaks nothing. */
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
    const dotted = checkedVersion('version', text);
    if ((await find(companyId, appId, dotted)) !== null) {
      throw malformed('version', `there is already a version ${quoted(dotted)} of application ${quoted(appId)}.`);
    }
    await requireApplication(db, companyId, appId);
    return dotted;
  }

  async function spaceFor(request: NewVersion): Promise<number> {
    const { companyId, appId, tables } = request;
    if (tables === undefined) return newSpace(companyId, appId, null);
    if ('spaceId' in tables) return tables.spaceId;
    if ('shareWith' in tables) return (await get(companyId, appId, tables.shareWith)).spaceId;
    return newSpace(companyId, appId, await get(companyId, appId, tables.copyOf));
  }

  return {
    find,
    get,
    async list(companyId, appId) {
      const query = joined(db, companyId);
      const rows = await listed(db.read(appId === undefined ? query : query.where('v.app_id', '=', appId)), () =>
        appId === undefined ? requireCompany(db, companyId) : requireApplication(db, companyId, appId),
      );
      return rows.map(versionOf);
    },
    async page(companyId, appId, request, limits) {
      const query = selectVersions(db, companyId).where('v.app_id', '=', appId);
      const { results, count } = await page(db, query, rows.fields, request, limits);
      if (count === 0) await requireApplication(db, companyId, appId);
      return { results: results.map(versionOf), count };
    },
    async prepare(request) {
      await refuseTaken(request);
      return { spaceId: await spaceFor(request) };
    },
    async create(request, further = []) {
      const { companyId, appId } = request;
      const dotted = await refuseTaken(request);
      const row = { ...request, version: dotted, spaceId: await spaceFor(request), created: environment.now() };
      const insert = db.build.insertInto('app_version').values(rows.inserted(row));
      await writeOrExplain(db, [insert, ...further], async () => void (await refuseTaken(request)));
      return get(companyId, appId, dotted);
    },
    async update(companyId, appId, named, { revision, ...changes }, further = nothingFurther) {
      const present = await get(companyId, appId, named);
      const called = `version ${quoted(present.version)}`;
      refuseOtherRevision(called, present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const update = db.build
        .updateTable('app_version')
        .set({ ...rows.changed(changes), revision: present.revision + 1 })
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('version', '=', present.version)
        .where('revision', '=', present.revision);
      await writeOrExplain(db, [expectOne(update), ...further(present)], async () =>
        refuseOtherRevision(called, (await get(companyId, appId, named)).revision, present.revision),
      );
      return get(companyId, appId, named);
    },
  };
}

/** Parts have only letters and digits, so that the dotted form and the path form map to each other. */
function checkedVersion(field: string, text: string): string {
  const dotted = normalVersion(text);
  if (dotted.length > 50 || !/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(dotted)) {
    throw malformed(field, `expected parts of letters and digits like 1.0.0, got ${quoted(text)}.`);
  }
  return dotted;
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
    .selectAll('v')
    .select(['c.disabled as company_disabled', 'a.disabled as app_disabled'])
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
  return {
    ...rows.read(row),
    sharedSpace: Number(row.versions_of_space) > 1,
    companyDisabled: row.company_disabled === 1,
    appDisabled: row.app_disabled === 1,
  };
}
