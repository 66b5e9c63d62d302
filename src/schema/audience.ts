/**
 * Who may see a record, as one text that an index can serve: `a` everyone of the data space (scope 3), `u7` user 7
 * (scope 1), `g3` group 3 or `g1,3` groups 1 and 3 (scope 2). A caller's *members* are the single-member audiences that
 * the caller belongs to; the engine stores which members an audience of several groups has.
 */

export const scope = { user: 1, group: 2, all: 3 } as const;

export type Scope = (typeof scope)[keyof typeof scope];

/** The audience of a record. Group ids are ascending and unique, with at least one for scope 2. */
export function audienceOf(scopeType: Scope, groupIds: readonly number[], createUserId: number): string {
  switch (scopeType) {
    case scope.all:
      return 'a';
    case scope.user:
      return `u${createUserId}`;
    case scope.group:
      return `g${groupIds.join(',')}`;
  }
}

/** The members of an audience of several groups (`g1,3` → `g1`, `g3`); none for a single-member audience. */
export function membersOfShared(audience: string): string[] {
  return audience.includes(',')
    ? audience
        .slice(1)
        .split(',')
        .map((id) => `g${id}`)
    : [];
}

/**
 * The single-member audiences that a caller belongs to. `reach` narrows them as the older query's `scope` does: 1 is
 * the caller's own records, 2 also those of the caller's groups, 3 all visible ones
 * (docs/reference/older-query.md#scope).
 */
export function membersOf(userId: number, groupIds: readonly number[], reach: Scope = scope.all): string[] {
  const members = [`u${userId}`];
  if (reach >= scope.group) for (const id of groupIds) members.push(`g${id}`);
  if (reach >= scope.all) members.push('a');
  return members;
}

/** The wire form of group ids: `{1,2}`. */
export function groupIdsText(groupIds: readonly number[]): string {
  return `{${groupIds.join(',')}}`;
}

/** The group ids in text of the wire form (as stored); none for null or empty. */
export function groupIdsOf(text: string | null): number[] {
  return text === null || text === '' || text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}
