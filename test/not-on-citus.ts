/** What a run on a Citus cluster skips (`citus.ts`), and why. */

/** Files, or folders with a slash at the end. */
export const filesNotOnCitus: Readonly<Record<string, string>> = {
  'proof/': 'Proofs kill and restart servers of their own.',
  'compare/': 'Compares the two engines, on a server of its own.',
  'structure/postgres/': 'Starts servers of its own, which log their statements.',
  'storage/postgres/standby.test.ts': 'Starts servers of its own, one a standby.',
  'query/postgres/plans.test.ts': 'Looks at the plans of one node; those of a cluster are Citus’s.',
};

const heldLock = 'Locks a table by its name, on the coordinator, where merged writes to its shard do not meet it.';

/** Single tests, by name. */
export const testsNotOnCitus: Readonly<Record<string, string>> = {
  'merged statements look items up by indexes, whatever the planner knows about the tables':
    'Looks at the plans of one node.',
  'the counter of commits is found quickly, however many versions of it an open transaction keeps':
    'Sends 20,000 changes through the coordinator, which takes longer than a statement may.',
  'without a cluster every action says so, and changes nothing': 'There is a cluster.',
  'the first server that answers is used, and no password is revealed':
    'Expects the user of the server that a run starts.',
  'writes, reads and queries of other data spaces are answered while one is locked': heldLock,
  'batches of two instances that name the same records of two tables in either order are all written, without deadlock':
    'Waits until the server has no other connection, and Citus keeps some open.',
  'a data space that blocks connections leaves one to the others, and its own queries wait for a bounded time':
    heldLock,
};
