/** The end of a collection at which its first page stands, or its last. */
export type Direction = 'first' | 'last';
