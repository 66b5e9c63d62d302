/** Texts of the home screen, in English. */
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
} as const;
