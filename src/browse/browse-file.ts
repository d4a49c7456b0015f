/** A file for people. */
export interface BrowseFile {
  /** Relative to the root of the tree, with slashes. */
  readonly path: string;
  /** Returns the bytes; undefined if nothing that the file shows has changed since the revision `since`. */
  readonly render: (() => readonly Uint8Array[]) | undefined;
}
