/** Texts of the home screen and of those on the service itself, in English. */
export const home = {
  home: {
    title: 'Home',
    what: 'The newest companies, and the health of the service.',
    whatCompany: 'What this company needs before its users can work with records. Steps are ticked as they are done.',
    newest: 'Newest companies',
    find: 'Choose any other company in the bar above.',
    firstSteps: 'First steps',
    allDone: 'Everything is set up',
    done: 'done',
    open: 'open',
    health: 'Health in the last hour',
    steps: {
      application: {
        title: 'Add an application',
        advice: 'Clients name it in every request. Tables and sign-in belong to it.',
        action: 'Add an application',
      },
      provider: {
        title: 'Let users sign in',
        advice: 'Add an identity provider and a client, or let the application use passwords.',
        action: 'Add a provider',
      },
      table: {
        title: 'Define the first table',
        advice: 'Each version of an application has its own tables.',
        action: 'Define a table',
      },
      signIn: {
        title: 'First sign-in',
        advice: 'Add a user, then sign in as this user from a client. The guide shows the requests.',
        action: 'Read the guide',
      },
      record: {
        title: 'First record',
        advice: 'Let a client write one, or add one here.',
        action: 'Add a record',
      },
    },
  },

  settingsInForce: {
    title: 'Settings',
    what: 'The settings in force in the process that answers, and the source of each. Changes need a restart.',
    onlyGiven: 'Only settings that were changed',
    value: 'Value',
    from: 'From',
    default: 'Default',
    meaning: 'Meaning',
    secret: 'not shown',
    sources: {
      default: 'default',
      memory: 'default for this amount of memory',
      file: 'file',
      environment: 'environment variable',
      flag: 'flag',
      program: 'the starting program',
    },
  },

  nodes: {
    title: 'Nodes',
    what: 'The nodes of the cluster, asked now. “rowhouse nodes” on a machine of the service moves data spaces between them.',
    again: 'Ask again',
    none: 'The storage is on no cluster',
    node: 'Node',
    role: 'Role',
    roles: { coordinator: 'coordinator', worker: 'worker' },
    takes: 'Takes data spaces',
    spaces: 'Data spaces',
    size: 'Size, MiB',
    well: 'responds',
    unsafe: 'unsafe',
    away: 'away',
  },
} as const;
