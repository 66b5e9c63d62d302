/** The texts of the console in English. Other languages must have the same members in order to compile. */

import { home } from './en/home.ts';
import { people } from './en/people.ts';
import { playground } from './en/playground.ts';
import { records } from './en/records.ts';
import { tables } from './en/tables.ts';
import { tenants } from './en/tenants.ts';
import { trail } from './en/trail.ts';

/** A number with the word for the things counted. */
const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export const words = {
  administration: 'Administration',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  add: 'Add',
  remove: 'Remove',
  undo: 'Undo',
  edit: 'Edit',
  settings: 'Settings',
  added: 'Added',
  name: 'Name',
  description: 'Description',
  number: 'Number',
  state: 'State',
  isDisabled: 'disabled',
  isEnabled: 'enabled',
  every: 'all',
  from: 'From',
  until: 'Until',
  copy: 'Copy',
  copied: 'Copied',
  yes: 'yes',
  no: 'no',
  nothing: 'none',
  search: 'Search',
  searchIn: (what: string) => `Search in: ${what}`,
  loading: (what: string) => `Loading ${what} …`,
  underWay: (action: string) => `${action}: under way …`,
  tryAgain: 'Try again',
  noConnection: 'The service can’t be reached. What you typed is still here.',
  nothingFound: 'Nothing found',
  nothingFoundAdvice: 'Nothing matches the search and the filters.',
  rowsOf: (from: string, to: string, count: string) => `${from}–${to} of ${count}`,
  previousPage: 'Previous',
  nextPage: 'Next',
  skip: 'Skip to the content',
  menu: 'Menu',
  isNew: 'The service was updated. Reload the page to continue.',
  reload: 'Reload',
  saved: 'Saved',
  removed: (name: string) => `Removed ${name}`,
  typeName: (name: string) => `Type ${name} to confirm`,
  changedMeanwhile: 'Somebody else changed this in the meantime. Check the current values, then save again.',
  notPermitted: 'Your roles don’t permit this screen.',
  notFound: 'There is no such screen.',

  language: 'Language',
  theme: 'Theme',
  themes: { system: 'as the system', light: 'light', dark: 'dark' },
  documentation: 'Documentation',
  apiReference: 'API reference',

  signIn: {
    title: 'Sign in',
    again: 'Sign in again',
    againWhat: 'Your session has ended. Everything on the screen stays, and you can continue after signing in.',
    account: 'Account',
    password: 'Password',
    company: 'Company',
    companyHint: 'Its number, for users of a company; administrators leave it empty.',
    action: 'Sign in',
    provider: 'Sign in with the identity provider',
    popUpBlocked: 'The browser blocked the window of the identity provider. Allow it, then try again.',
    signOut: 'Sign out',
    you: 'Signed in as',
    administrator: 'administrator of the installation',
    ofCompany: (id: number) => `of company ${id}`,
    otherPerson: 'A different person has signed in; the page reloads.',
    refusals: {
      111: 'The identity provider refused the sign-in.',
      115: 'No sign-in was under way in this browser, or it took too long. Try again.',
      117: 'The identity provider can’t be reached at the moment.',
      119: 'Your account at the identity provider is not an administrator here.',
    } as Readonly<Record<number, string>>,
    refused: (code: string) => `The sign-in was refused (code ${code}).`,
  },

  tenant: {
    choose: 'Choose a company',
    chooseApplication: 'Choose an application',
    chooseVersion: 'Choose a version',
    chooseFirst: 'Choose a company above, then what you want to see.',
    company: 'Company',
    application: 'Application',
    version: 'Version',
    find: 'Find by name or id',
    noCompany: 'no company',
    all: 'Whole company',
    disabled: 'disabled',
  },

  navigation: {
    label: 'Screens',
    home: 'Home',
    installation: 'Installation',
    companies: 'Companies',
    administrators: 'Administrators',
    company: 'Company',
    people: 'People',
    users: 'Users',
    groups: 'Groups',
    roles: 'Roles',
    sessions: 'Sessions',
    audit: 'Audit trail',
    applications: 'Applications',
    signIn: 'Sign-in',
    devices: 'Devices',
    versions: 'Versions',
    tables: 'Tables',
    records: 'Records',
    playground: 'Playground',
    transactions: 'Transactions',
    browse: 'Browse as user',
    logs: 'Client logs',
    health: 'Health',
    nodes: 'Nodes',
    settings: 'Settings',
  },

  transactions: {
    title: 'Transactions',
    what: 'Was this written twice? Each batch has a transaction id and is written at most once.',
    id: 'Transaction id',
    find: 'Look up',
    none: 'No transaction with this id',
    noneAdvice:
      'It was never written, or it is older than the history. If a client sends it again, it is written once.',
    once: 'Written once. A repeat with the same id is answered from the history and writes nothing.',
    time: 'Written',
    by: 'By',
    administrator: 'an administrator; the audit trail says who',
    unknown: 'unknown',
    changes: 'Changes',
    answer: 'Answer',
  },

  browse: {
    title: 'Browse as user',
    what: 'See exactly which records a user sees, and why. Read-only; each access is recorded in the audit trail.',
    find: 'Find a user',
    user: 'User',
    version: 'Application and version',
    noUsers: 'There is no user here whose records you may browse.',
    noVersions: 'This user may use no application.',
    noTables: 'This user may read no table of this version',
    why: 'Reason',
    whyHint: 'Recorded in the audit trail: a ticket number, for example.',
    begin: 'Look',
    end: 'End',
    asUser: (account: string) => `You see what ${account} sees. Read-only.`,
    disabled: 'This user is disabled and cannot sign in. These records are what the user would see if enabled.',
    sees: 'Sees',
    seesWhat: 'their own records, records for everyone, and records shared with these groups',
    groups: 'Groups and roles',
    rights: 'Rights to tables',
    allRights: 'all, granted by their roles',
    none: 'This user sees no records in this table',
    first: (rows: number) => `The first ${rows} records.`,
  },

  health: {
    title: 'Health',
    what: 'All instances together. A restart leaves a gap in the charts; no data is lost.',
    span: 'Period',
    spans: { hour: 'Last hour, by minute', day: 'Last day, by 15 minutes', month: 'Last month, by 6 hours' },
    measures: {
      answered: 'Successful requests',
      refused: 'Refused requests',
      failed: 'Server errors',
      p50Ms: 'Response time, median (ms)',
      p95Ms: 'Response time, 95th percentile (ms)',
      p99Ms: 'Response time, 99th percentile (ms)',
      commitP50Ms: 'Commit time, median (ms)',
      commitP99Ms: 'Commit time, 99th percentile (ms)',
      writesWaiting: 'Write queue, longest',
      queriesWaiting: 'Query queue, longest',
      delayMs: 'Event loop delay, longest (ms)',
      memoryBytes: 'Memory per process (MiB)',
      storageBytes: 'Storage (MiB)',
    },
    time: 'From',
    last: 'now',
    highest: 'peak',
    asTable: 'As a table',
    noFaults: 'No server errors in this period.',
    faults: (count: number) =>
      `${counted(count, 'server error', 'server errors')} in this period; see the log for the causes.`,
  },

  ...home,
  ...people,
  ...tenants,
  ...trail,
  records,
  tables,
  playground,
} as const satisfies Texts;

type Text = string | ((...values: never[]) => string);
interface Texts {
  readonly [name: string]: Text | Texts;
  readonly [code: number]: string;
}

/** The shape of a catalogue: the same members with other texts. */
export type Translated<Catalogue> = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends string
    ? string
    : Catalogue[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translated<Catalogue[Name]>;
};

export type Words = Translated<typeof words>;
