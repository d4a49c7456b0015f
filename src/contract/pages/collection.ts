/** The names of the two collections in the URL path. */
export const COLLECTIONS = ['data', 'account'] as const;

export type Collection = (typeof COLLECTIONS)[number];

export type PerCollection<T> = { readonly [C in Collection]: T };
