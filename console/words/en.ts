/** The texts of the console in English. The other languages have the same members, or they don't compile. */

import { home } from './en/home.ts';
import { people } from './en/people.ts';
import { playground } from './en/playground.ts';
import { records } from './en/records.ts';
import { tables } from './en/tables.ts';
import { tenants } from './en/tenants.ts';
import { trail } from './en/trail.ts';

/** Of a number of things, with the word for them. */
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
  nothingFoundAdvice: 'Nothing meets the search and the filters.',
  rowsOf: (from: string, to: string, count: string) => `${from}–${to} of ${count}`,
  previousPage: 'Previous',
  nextPage: 'Next',
  skip: 'Skip to the content',
  menu: 'Menu',
  isNew: 'The service was updated. Reload the page to go on.',
  reload: 'Reload',
  saved: 'Saved',
  removed: (name: string) => `Removed ${name}`,
  typeName: (name: string) => `Type ${name} to confirm`,
  changedMeanwhile: 'Somebody changed this meanwhile. Look at the present values and save again.',
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
    againWhat: 'The session has ended. What is on the screen stays, and your work goes on afterwards.',
    account: 'Account',
    password: 'Password',
    company: 'Company',
    companyHint: 'Its number, for users of a company; administrators leave it empty.',
    action: 'Sign in',
    provider: 'Sign in with the identity provider',
    signOut: 'Sign out',
    you: 'Signed in as',
    administrator: 'administrator of the installation',
    ofCompany: (id: number) => `of company ${id}`,
    otherPerson: 'Somebody else is signed in now; the page is loaded anew.',
    refusals: {
      111: 'The identity provider refused the sign-in.',
      115: 'No sign-in was under way in this browser, or it took too long. Try again.',
      117: 'The identity provider can’t be reached at the moment.',
      119: 'Your account at the identity provider is not one of an administrator here.',
    } as Readonly<Record<number, string>>,
    refused: (code: string) => `The sign-in was refused (code ${code}).`,
  },

  tenant: {
    choose: 'Choose a company',
    chooseApplication: 'Choose an application',
    chooseVersion: 'Choose a version',
    chooseFirst: 'Choose a company above, then what you want to see of it.',
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
    what: 'Was this written twice? Every batch of a client has a transaction id, and is written once at most.',
    id: 'Transaction id',
    find: 'Look up',
    none: 'No such transaction is kept',
    noneAdvice:
      'It was never written, or longer ago than the history is kept. A client that sends it again writes it once.',
    once: 'Written, once. A request with the same id is answered from the history and writes nothing.',
    time: 'Written',
    by: 'By',
    administrator: 'an administrator; the audit trail says who',
    unknown: 'unknown',
    changes: 'Changes',
    answer: 'What it was answered',
  },

  browse: {
    title: 'Browse as user',
    what: 'What exactly does a user see, and why. Nothing is changed, and each look leaves an entry in the audit trail.',
    find: 'Find a user',
    user: 'User',
    why: 'Reason',
    whyHint: 'Kept in the audit trail, such as the number of a ticket.',
    begin: 'Look',
    end: 'End',
    asUser: (account: string) => `You see what ${account} sees. To read only.`,
    sees: 'Sees',
    seesWhat: 'the own records, those for everyone, and those of these groups',
    groups: 'Groups and roles',
    rights: 'Rights to tables',
    allRights: 'all, by the roles held',
    none: 'This user sees no record of this table',
    first: (rows: number) => `The first ${rows} records.`,
  },

  health: {
    title: 'Health',
    what: 'What all processes of the service did. Restarts leave gaps, and nothing is lost.',
    span: 'Span',
    spans: { hour: 'An hour, by the minute', day: 'A day, by 15 minutes', month: 'A month, by 6 hours' },
    measures: {
      answered: 'Answers',
      refused: 'Refusals',
      failed: 'Faults',
      p50Ms: 'Time of half of the answers, ms',
      p95Ms: 'Time of 95 % of the answers, ms',
      p99Ms: 'Time of 99 % of the answers, ms',
      commitP50Ms: 'Time of half of the commits, ms',
      commitP99Ms: 'Time of 99 % of the commits, ms',
      writesWaiting: 'Writes that waited at once',
      queriesWaiting: 'Queries that waited at once',
      delayMs: 'Longest wait for the main thread, ms',
      memoryBytes: 'Memory of a process, MiB',
      storageBytes: 'Storage, MiB',
    },
    time: 'From',
    last: 'now',
    highest: 'at most',
    asTable: 'The numbers',
    noFaults: 'No faults in this span.',
    faults: (count: number) => `${counted(count, 'fault', 'faults')} in this span; the log has their causes.`,
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

/** The shape of a catalogue: the same members, other texts. */
export type Translated<Catalogue> = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends string
    ? string
    : Catalogue[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translated<Catalogue[Name]>;
};

export type Words = Translated<typeof words>;
