/** Acts on companies, and on applications with their versions and tables. */
import { type Act, entry, north, one, plainUser, shop } from './act.ts';
import type { Subject } from './surfaces.ts';

const companies: readonly Act[] = [
  {
    name: 'company.create',
    admin: ({ name }) => ['createCompany', { body: { name } }],
    cli: ({ name }) => [`company add --name ${name}`],
    entry: ({ name }) => ({ ...entry('company.create', `company "${name}"`, { name }), companyId: null }),
  },
  {
    name: 'company.create with an id',
    make: async (_, name) => ({ id: name.startsWith('cli') ? 701 : 702 }),
    admin: ({ name, id }) => ['createCompany', { body: { name, id } }],
    cli: ({ name, id }) => [`company add --name ${name} --company ${id}`],
    entry: ({ name, id }) => ({ ...entry('company.create', `company "${name}"`, { name, id }), companyId: id }),
  },
  {
    name: 'company.update',
    make: ({ directory }, name) => directory.companies.create({ name }),
    admin: ({ name, id: companyId, revision }) => [
      'updateCompany',
      { params: { companyId }, body: { revision, name: `${name}-2`, storageBytesMax: 1024, logEntriesMax: null } },
    ],
    cli: ({ name, id }) => [
      `company update --company ${id} --name ${name}-2 --storage-max 1KiB --log-entries-max none`,
    ],
    entry: ({ name, id }) => {
      const detail = { name: `${name}-2`, storageBytesMax: 1024, logEntriesMax: null };
      return { ...entry('company.update', `company ${id} "${name}"`, detail), companyId: id };
    },
  },
  ...[true, false].map(
    (disabled): Act => ({
      name: `company.update, ${disabled ? 'disabled' : 'enabled'}`,
      make: ({ directory }, name) => directory.companies.create({ name }),
      admin: ({ id: companyId, revision }) => [
        'updateCompany',
        { params: { companyId }, body: { revision, disabled } },
      ],
      cli: ({ id }) => [`company ${disabled ? 'disable' : 'enable'} --company ${id}`],
      entry: ({ name, id }) => ({
        ...entry('company.update', `company ${id} "${name}"`, { disabled }),
        companyId: id,
      }),
    }),
  ),
];

const makeApplication: Act['make'] = async ({ directory }, name) => {
  const { application } = await directory.applications.create({ companyId: 1, appId: name, groupIds: [north] });
  return { revision: application.revision };
};
const ofApplication = ({ name }: Subject) => ({ companyId: 1, appId: name });
const applicationEntry = (action: string, detail: object) => (subject: Subject) =>
  entry(`application.${action}`, `application "${subject.name}"`, detail, subject.name);

function applicationChange(what: string, body: object, line: string): Act {
  return {
    name: `application.update, ${what}`,
    make: makeApplication!,
    admin: (subject) => [
      'updateApplication',
      { params: ofApplication(subject), body: { revision: subject.revision, ...body } },
    ],
    cli: ({ name }) => [`app ${line.replace(' ', ` --company 1 --app ${name} `).trim()}`],
    entry: applicationEntry('update', body),
  };
}

const applications: readonly Act[] = [
  {
    name: 'application.create',
    admin: ({ name }) => [
      'createApplication',
      {
        params: one,
        body: {
          ...{ appId: name, name: 'Shop', groupIds: [north] },
          ...{ accountPolicy: 'create', defaultGroupId: north, defaultRoleId: plainUser },
        },
      },
    ],
    cli: ({ name }) => [
      `app add --company 1 --app ${name} --name Shop --group North --accounts create --default-group North --default-role User`,
    ],
    entry: (subject) => {
      const accounts = { accountPolicy: 'create', defaultGroupId: north, defaultRoleId: plainUser };
      const detail = { appId: subject.name, name: 'Shop', groupIds: [north], ...accounts };
      return applicationEntry('create', detail)(subject);
    },
  },
  applicationChange(
    'columns',
    { name: 'Other', corsOrigins: ['https://a.example.com'], localAccounts: true },
    'update --name Other --cors-origin https://a.example.com --local-accounts on',
  ),
  applicationChange(
    'accounts',
    { accountPolicy: 'refuse', defaultGroupId: null, defaultRoleId: null },
    'update --accounts refuse',
  ),
  applicationChange('disabled', { disabled: true }, 'disable '),
  applicationChange('enabled', { disabled: false }, 'enable '),
  applicationChange('a group more', { groupIds: [north, 2] }, 'allow --group South'),
  applicationChange('a group less', { groupIds: [] }, 'deny --group North'),
  {
    name: 'application.key',
    make: makeApplication!,
    admin: (subject) => ['replaceAppKey', { params: ofApplication(subject), body: { revision: subject.revision } }],
    cli: ({ name }) => [`app key --company 1 --app ${name}`],
    entry: applicationEntry('key', {}),
  },
];

const makeVersion: Act['make'] = async ({ directory }, version) => {
  const { revision } = await directory.versions.create({ ...shop, version, development: true });
  return { revision };
};
const versionEntry = (action: string, detail: object) => (subject: Subject) =>
  entry(`version.${action}`, `version "${subject.name}" of application "shop"`, detail, 'shop');

function versionChange(what: string, body: object, line: string): Act {
  return {
    name: `version.update, ${what}`,
    make: makeVersion!,
    admin: ({ name: version, revision }) => [
      'updateVersion',
      { params: { ...shop, version }, body: { revision, ...body } },
    ],
    cli: ({ name }) => [`version ${line.replace(' ', ` --company 1 --app shop --version ${name} `).trim()}`],
    entry: versionEntry('update', body),
  };
}

const versions: readonly Act[] = [
  {
    name: 'version.create',
    admin: ({ name: version }) => [
      'createVersion',
      {
        params: shop,
        body: { version, logLevel: 'ERROR', development: true, strictHandling: false, shareWith: '1.0' },
      },
    ],
    cli: ({ name }) => [
      `version add --company 1 --app shop --version ${name} --log-level error --development --share-with 1.0`,
    ],
    entry: versionEntry('create', {
      ...{ shareWith: '1.0', logLevel: 'ERROR', development: true, strictHandling: false },
    }),
  },
  versionChange(
    'columns',
    { logLevel: 'ERROR', development: false, strictHandling: true },
    'update --log-level error --released --strict-handling',
  ),
  versionChange('disabled', { disabled: true }, 'disable '),
  versionChange('enabled', { disabled: false }, 'enable '),
  {
    name: 'table.define',
    client: ({ name }) => ['POST', '/schemas', { tables: [tableNamed(name)] }],
    admin: ({ name }) => [
      'defineVersionTables',
      { params: { ...shop, version: '1.0' }, body: { tables: [tableNamed(name)] } },
    ],
    entry: ({ name }) => {
      const target = 'tables of version "1.0" of application "shop"';
      return entry('table.define', target, { reset: false, tables: [tableNamed(name).name] }, 'shop');
    },
  },
  {
    name: 'table.change',
    async make({ directory, world }) {
      const { spaceId = 0 } = (await directory.versions.find(1, 'shop', '1.0')) ?? {};
      return { revision: (await world.house.server.storage.spaces.definition(spaceId)).version };
    },
    client: ({ name, revision }) => ['POST', '/schemas/changes', changeNamed(name, revision)],
    admin: ({ name, revision }) => [
      'changeVersionTables',
      { params: { ...shop, version: '1.0' }, body: changeNamed(name, revision) },
    ],
    entry: ({ name, revision }) => {
      const changes = [{ op: 'addTable', table: tableNamed(`changed-${name}`).name }];
      const target = 'tables of version "1.0" of application "shop"';
      return entry('table.change', target, { revision: revision + 1, changes }, 'shop');
    },
  },
];

function changeNamed(name: string, revision: number) {
  const { name: table, columns } = tableNamed(`changed-${name}`);
  return { revision, changes: [{ op: 'addTable', table, columns }] };
}

function tableNamed(name: string) {
  const columns = [{ colName: 'label', type: 'varchar', fieldLength: 50 }];
  return { name: name.replaceAll('-', '_'), primary_key: 'objectId', columns };
}

export const tenantActs: readonly Act[] = [...companies, ...applications, ...versions];
