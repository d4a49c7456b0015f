/** The end of a collection at which a walk begins: its first page or its last. */
export type Direction = 'first' | 'last';
