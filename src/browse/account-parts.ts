/** The limits of a page with changes of one account. */
const PART_RECORDS = 50;
const PART_BYTES = 40_000;

/** The records of one page of an account: those with ids from `first` to `last`. */
export interface AccountPart {
  readonly first: number;
  readonly last: number;
}

/** Whether an account has so few records that all of them are on its main page. */
export function isOnePage(records: number, bytes: number): boolean {
  return records < 2 * PART_RECORDS && bytes < 2 * PART_BYTES;
}

/**
 * Divides the records of an account into pages, oldest first. The last one is the main page. A page is closed when it has
 * 50 records, or 40 kB of JSON: later records never change it. The main page has the newest closed part and all later
 * records, so it is never nearly empty.
 * @param sizes the records, oldest first
 */
export function accountParts(sizes: readonly { readonly id: number; readonly bytes: number }[]): readonly AccountPart[] {
  const parts: AccountPart[] = [];
  let [first, records, bytes] = [-1, 0, 0];
  let last = -1;
  for (const size of sizes) {
    if (records === 0) first = size.id;
    records += 1;
    bytes += size.bytes;
    last = size.id;
    if (records < PART_RECORDS && bytes < PART_BYTES) continue;
    parts.push({ first, last });
    [records, bytes] = [0, 0];
  }
  const newest = parts.pop();
  if (records > 0 || newest !== undefined) parts.push({ first: newest?.first ?? first, last });
  return parts;
}
