/** Tests that a run on a Citus cluster leaves out (`citus.ts`), and why: files, or folders with a slash at the end. */
export const notOnCitus: Readonly<Record<string, string>> = {
  'proof/': 'Proofs kill and restart servers of their own.',
  'compare/': 'Compares the two engines, on a server of its own.',
  'structure/postgres/schemas.test.ts': 'Starts a server of its own, which logs its statements.',
  'storage/postgres/standby.test.ts': 'Starts servers of its own, one a standby.',
  'query/postgres/plans.test.ts': 'Looks at the plans of one node; those of a cluster are Citus’s.',
};
