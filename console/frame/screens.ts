/** All screens, the tenant level of each, and who sees its link. A screen's module is loaded when it opens. */
import type { FunctionComponent } from 'preact';
import type { Place, Tenant } from '../route.ts';
import { may } from '../session.ts';
import type { Words } from '../words/en.ts';

export interface ScreenEntry {
  /** What must be chosen to show it. */
  readonly of: 'installation' | 'company' | 'application' | 'version';
  readonly name: (words: Words) => string;
  /** The link is shown to those who have this permission anywhere; null for everyone. */
  readonly permission: string | null;
  readonly load: () => Promise<{ readonly default: FunctionComponent<{ readonly place: Place }> }>;
}

/** Keyed by the word in the address, in the order of the navigation. */
export const screens: Readonly<Record<string, ScreenEntry>> = {
  logs: {
    of: 'application',
    name: ({ navigation }) => navigation.logs,
    permission: 'log.read',
    load: () => import('../screens/logs.ts'),
  },
  providers: {
    of: 'application',
    name: ({ navigation }) => navigation.signIn,
    permission: 'provider.read',
    load: () => import('../screens/providers.ts'),
  },
  devices: {
    of: 'application',
    name: ({ navigation }) => navigation.devices,
    permission: 'device.read',
    load: () => import('../screens/devices.ts'),
  },
  versions: {
    of: 'application',
    name: ({ navigation }) => navigation.versions,
    permission: 'application.read',
    load: () => import('../screens/versions.ts'),
  },
  applications: {
    of: 'company',
    name: ({ navigation }) => navigation.applications,
    permission: 'application.read',
    load: () => import('../screens/applications.ts'),
  },
  tables: {
    of: 'version',
    name: ({ navigation }) => navigation.tables,
    permission: 'table.read',
    load: () => import('../screens/tables.ts'),
  },
  home: {
    of: 'installation',
    name: ({ navigation }) => navigation.home,
    permission: 'company.read',
    load: () => import('../screens/home.ts'),
  },
  health: {
    of: 'installation',
    name: ({ navigation }) => navigation.health,
    permission: 'statistics.read',
    load: () => import('../screens/health.ts'),
  },
  nodes: {
    of: 'installation',
    name: ({ navigation }) => navigation.nodes,
    permission: 'node.read',
    load: () => import('../screens/nodes.ts'),
  },
  settings: {
    of: 'installation',
    name: ({ navigation }) => navigation.settings,
    permission: 'setting.read',
    load: () => import('../screens/settings.ts'),
  },
  records: {
    of: 'version',
    name: ({ navigation }) => navigation.records,
    permission: 'record.read',
    load: () => import('../screens/records.ts'),
  },
  playground: {
    of: 'version',
    name: ({ navigation }) => navigation.playground,
    permission: 'record.read',
    load: () => import('../screens/playground.ts'),
  },
  transactions: {
    of: 'version',
    name: ({ navigation }) => navigation.transactions,
    permission: 'record.read',
    load: () => import('../screens/transactions.ts'),
  },
  users: {
    of: 'company',
    name: ({ navigation }) => navigation.users,
    permission: 'user.read',
    load: () => import('../screens/users.ts'),
  },
  browse: {
    of: 'company',
    name: ({ navigation }) => navigation.browse,
    permission: 'record.browse',
    load: () => import('../screens/browse.ts'),
  },
  groups: {
    of: 'company',
    name: ({ navigation }) => navigation.groups,
    permission: 'group.read',
    load: () => import('../screens/groups.ts'),
  },
  roles: {
    of: 'company',
    name: ({ navigation }) => navigation.roles,
    permission: 'role.read',
    load: () => import('../screens/roles.ts'),
  },
  sessions: {
    of: 'company',
    name: ({ navigation }) => navigation.sessions,
    permission: 'session.read',
    load: () => import('../screens/sessions.ts'),
  },
  audit: {
    of: 'company',
    name: ({ navigation }) => navigation.audit,
    permission: 'audit.read',
    load: () => import('../screens/audit.ts'),
  },
  companies: {
    of: 'installation',
    name: ({ navigation }) => navigation.companies,
    permission: 'company.read',
    load: () => import('../screens/companies.ts'),
  },
  administrators: {
    of: 'installation',
    name: ({ navigation }) => navigation.administrators,
    permission: 'administrator.read',
    load: () => import('../screens/administrators.ts'),
  },
  trail: {
    of: 'installation',
    name: ({ navigation }) => navigation.audit,
    // Users may see only that of their company.
    permission: 'administrator.read',
    load: () => import('../screens/trail.ts'),
  },
};

/** The screen of an address that names none: the first of these that may be seen. */
export function homeOf({ appId }: Tenant): string {
  const homes = appId === null ? ['home', 'applications'] : ['versions'];
  return homes.find((name) => isOpenTo(screens[name])) ?? 'users';
}

export function isOpenTo(entry: ScreenEntry | undefined): boolean {
  return entry !== undefined && (entry.permission === null || may.value(entry.permission));
}

export function isChosen(of: ScreenEntry['of'], { companyId, appId, version }: Tenant): boolean {
  if (of === 'installation') return true;
  return (of === 'company' ? companyId : of === 'application' ? appId : version) !== null;
}

export const parts = ['version', 'application', 'company', 'installation'] as const;
