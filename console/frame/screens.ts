/** Which screens there are, below which tenant, and who sees their link. A screen's module is loaded when it opens. */
import type { FunctionComponent } from 'preact';
import type { Place } from '../route.ts';
import type { Words } from '../words/en.ts';

export interface ScreenEntry {
  /** What has to be chosen for it. */
  readonly of: 'installation' | 'company' | 'application' | 'version';
  readonly name: (words: Words) => string;
  /** Who may do this somewhere sees the link; null for everybody. */
  readonly permission: string | null;
  readonly load: () => Promise<{ readonly default: FunctionComponent<{ readonly place: Place }> }>;
}

/** By the word in the address, in the order of the navigation. */
export const screens: Readonly<Record<string, ScreenEntry>> = {
  home: {
    of: 'installation',
    name: ({ home }) => home.title,
    permission: null,
    load: () => import('../screens/home.ts'),
  },
  tables: {
    of: 'version',
    name: ({ navigation }) => navigation.tables,
    permission: 'table.read',
    load: () => import('../screens/tables.ts'),
  },
  health: {
    of: 'installation',
    name: ({ navigation }) => navigation.health,
    permission: 'statistics.read',
    load: () => import('../screens/health.ts'),
  },
  records: {
    of: 'version',
    name: ({ navigation }) => navigation.records,
    permission: 'record.read',
    load: () => import('../screens/records.ts'),
  },
  browse: {
    of: 'version',
    name: ({ navigation }) => navigation.browse,
    permission: 'record.browse',
    load: () => import('../screens/browse.ts'),
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
};

export const parts = ['version', 'application', 'company', 'installation'] as const;
