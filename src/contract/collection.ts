/** The two collections, by their names in the path. */
export const COLLECTIONS = ['data', 'account'] as const;

export type Collection = (typeof COLLECTIONS)[number];
