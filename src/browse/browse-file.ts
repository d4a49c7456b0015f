/** A file for people. */
export interface BrowseFile {
  /** Relative to the root of the tree, with slashes. */
  readonly path: string;
  /**
   * Returns the bytes; undefined if they are those of the present file. The bytes are valid until another file is rendered.
   */
  readonly render: (() => readonly Uint8Array[]) | undefined;
}
