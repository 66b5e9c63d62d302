/** What a run on a Citus cluster leaves out (`citus.ts`), and why. */

/** Files, or folders with a slash at the end. */
export const filesNotOnCitus: Readonly<Record<string, string>> = {
  'proof/': 'Proofs kill and restart servers of their own.',
  'compare/': 'Compares the two engines, on a server of its own.',
  'structure/postgres/': 'Starts servers of its own, which log their statements.',
  'storage/postgres/standby.test.ts': 'Starts servers of its own, one a standby.',
  'query/postgres/plans.test.ts': 'Looks at the plans of one node; those of a cluster are Citus’s.',
};

const heldLock = 'Holds a lock of its own on a table or looks at one, on the coordinator, where no records lie.';

/** Single tests, by name. */
export const testsNotOnCitus: Readonly<Record<string, string>> = {
  'merged statements look items up by indexes, whatever the planner knows of the tables':
    'Looks at the plans of one node.',
  'without a cluster every action says so, and changes nothing': 'There is a cluster.',
  'the first server that answers is taken, and no password is told':
    'Expects the user of the server that a run starts.',
  'writes, reads and queries of other data spaces are answered while one is locked': heldLock,
  'a lock of others is waited for as long as a write may take, and nobody else waits with it': heldLock,
  'behind a table that somebody keeps locked every write is given up in its time, and can be sent again': heldLock,
  'a data space that holds connections up leaves one to the others, and its own queries wait for a bounded time':
    heldLock,
  'a write that is given up after a commit of unknown fate is told so': heldLock,
  'while a column is added together with an index, records are read, and nobody knows of the column': heldLock,
};
