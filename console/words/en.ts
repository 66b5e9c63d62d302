/** The texts of the console in English. The other languages have the same members, or they don't compile. */

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
  yes: 'yes',
  no: 'no',
  nothing: 'none',
  search: 'Search',
  searchIn: (what: string) => `Search in: ${what}`,
  loading: 'Loading …',
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
  home: {
    title: 'Home',
    companies: 'The tenants of this installation. Nothing of one is ever seen in another.',
    applications: 'Each application has versions, and each version tables of its own unless it shares them.',
    versions: 'Open a version to see its tables, records and logs.',
    noCompany: 'No companies yet',
    noApplication: 'No applications yet',
    noVersion: 'No versions yet',
  },

  language: 'Language',
  theme: 'Theme',
  themes: { system: 'as the system', light: 'light', dark: 'dark' },

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
    company: 'Company',
    application: 'Application',
    version: 'Version',
    find: 'Find by name or id',
    noCompany: 'no company',
    all: 'Whole company',
    number: 'Number',
    id: 'Id',
    state: 'State',
    development: 'In development',
    disabled: 'disabled',
  },

  navigation: {
    label: 'Screens',
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
    logs: 'Client logs',
  },

  users: {
    title: 'Users',
    what: 'Everybody who may sign in to the applications of this company, and the roles that they hold in groups.',
    add: 'Add a user',
    none: 'No users yet',
    noneAdvice:
      'Add those who use the applications, or let an application take every account of its identity provider.',
    count: (count: number) => counted(count, 'user', 'users'),
    account: 'Account',
    email: 'E-mail',
    firstName: 'First name',
    lastName: 'Last name',
    disabled: 'Disabled',
    isDisabled: 'disabled',
    isEnabled: 'enabled',
    state: 'State',
    memberships: 'Roles in groups',
    noMemberships: 'No role in any group: this user can’t use an application yet.',
    disable: 'Disable: refuse sign-in and tokens within five seconds',
    remove: 'Remove this user',
    removeWhat: (account: string) => `${account} can’t sign in any more. Records that they own stay.`,
    identities: 'Known at identity providers as',
    noIdentities: 'Not signed in through an identity provider yet.',
    sessions: 'Sessions',
    noSessions: 'No session at the moment.',
    endSession: 'End',
    endAll: 'End all sessions',
    ended: 'The session has ended',
    addRole: 'Add a role in a group',
    group: 'Group',
    role: 'Role',
  },
} as const satisfies Texts;

type Text = string | ((...values: never[]) => string);
interface Texts {
  readonly [name: string]: Text | Texts;
  readonly [code: number]: string;
}

/** The shape of a catalogue: the same members, other texts. */
type Translated<Catalogue> = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends string
    ? string
    : Catalogue[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translated<Catalogue[Name]>;
};

export type Words = Translated<typeof words>;
