/** What to do with a record or profile that is there with other content. */
export const CONFLICT_POLICIES = ['fail', 'keep', 'replace'] as const;

export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
