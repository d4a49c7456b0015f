/** A page that a walk was to read and that could not be read, although the service shows page 1. */
export interface UnreadPage {
  /** Whether the service answers that there is no such page. */
  readonly isMissing: boolean;
  readonly reason: string;
  /** How many pages the collection has, by the `count` on page 1. */
  readonly pages: number;
}
