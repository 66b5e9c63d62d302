/** Texts of the home screen and of those on the service itself, in English. */
export const home = {
  home: {
    title: 'Home',
    what: 'The newest companies, and how the service fares.',
    whatCompany: 'What this company needs until its users work with records. Each step is ticked when it is done.',
    newest: 'Newest companies',
    find: 'Choose any other one in the bar above.',
    firstSteps: 'First steps',
    allDone: 'Everything is set up',
    done: 'done',
    open: 'open',
    health: 'Health in the last hour',
    steps: {
      application: {
        title: 'Add an application',
        advice: 'Clients name it in every request; tables and sign-in belong to it.',
        action: 'Add an application',
      },
      provider: {
        title: 'Let users sign in',
        advice: 'Add an identity provider with a client, or let the application keep passwords.',
        action: 'Add a provider',
      },
      table: {
        title: 'Define the first table',
        advice: 'Each version of an application has its tables.',
        action: 'Define a table',
      },
      signIn: {
        title: 'First sign-in',
        advice: 'Add a user, then sign in as that user from a client; the guide shows the requests.',
        action: 'Read the guide',
      },
      record: {
        title: 'First record',
        advice: 'A client writes it, or you add one here.',
        action: 'Add a record',
      },
    },
  },

  settingsInForce: {
    title: 'Settings',
    what: 'The settings that the process which answers works with, and where each comes from. A change needs a restart.',
    onlyGiven: 'Only those that were given',
    value: 'Value',
    from: 'From',
    default: 'Default',
    meaning: 'Meaning',
    secret: 'not shown',
    sources: {
      default: 'default',
      memory: 'default for this memory',
      file: 'file',
      environment: 'variable',
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
