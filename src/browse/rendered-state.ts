/** The state of the store from which the present browse files of a tree were rendered. */
export interface RenderedState {
  /** The revision of the store; -1 if it is unknown. */
  readonly revision: number;
  /** The number of the oldest records that are the same as then. */
  readonly records: number;
  /** Whether the search index is the same as then. */
  readonly search: boolean;
}

/** A tree without browse files, or with unknown ones. */
export const NOTHING_RENDERED: RenderedState = { revision: -1, records: 0, search: false };
