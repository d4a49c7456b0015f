/** What to do if the store already has a record or profile with other content. */
export const CONFLICT_POLICIES = ['fail', 'keep', 'replace'] as const;

export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
