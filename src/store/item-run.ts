/** Consecutive items of a collection, with the places at which one ends and the next begins. */
export interface ItemRun<Key> {
  /** The id of each record; for accounts the id of the first record, or the name of an account without records. */
  readonly keys: readonly Key[];
  /** The lengths of the items in bytes. */
  readonly lengths: readonly number[];
  /** The JSON of the items, separated by commas. */
  readonly json: Buffer;
}
