/** The limits of a part of an account's records. The main page shows two parts, and markup takes more bytes than JSON. */
const PART_RECORDS = 50;
const PART_BYTES = 30_000;

/** The number of the newest parts that the main page of an account shows. */
const MAIN_PARTS = 2;

/** A part of the records of an account: those with ids from `first` to `last`. */
export interface AccountPart {
  readonly first: number;
  readonly last: number;
}

/** The size of a record. */
interface RecordSize {
  readonly id: number;
  /** The length of its JSON, without the handle of its account: a rename must not move records to other parts. */
  readonly bytes: number;
}

/**
 * Whether an account is so small that it has only one part. Its sizes need not be read then.
 * @param bytes the length of the JSON of its records
 */
export function isOnePart({ records, bytes }: AccountSize): boolean {
  return records <= ONE_PART.records && bytes <= ONE_PART.bytes;
}

/** The number of an account's records, and the length of their JSON. */
interface AccountSize {
  readonly records: number;
  readonly bytes: number;
}

/** The largest account that always has only one part. */
export const ONE_PART: AccountSize = { records: PART_RECORDS, bytes: PART_BYTES - 1 };

/**
 * Divides the records of an account into parts, oldest first. A part is closed when it has 50 records, or 30 kB of JSON.
 * So the number of a record's part depends only on older records, and never changes when later ones come.
 * @param sizes the records, oldest first
 */
export function accountParts(sizes: readonly RecordSize[]): readonly AccountPart[] {
  const parts: AccountPart[] = [];
  let [first, records, bytes] = [-1, 0, 0];
  for (const [index, size] of sizes.entries()) {
    if (records === 0) first = size.id;
    records += 1;
    bytes += size.bytes;
    const isClosed = records === PART_RECORDS || bytes >= PART_BYTES;
    if (isClosed || index === sizes.length - 1) parts.push({ first, last: size.id });
    if (isClosed) [records, bytes] = [0, 0];
  }
  return parts;
}

/** Returns the parts that the main page does not show, oldest first. */
export function olderParts(parts: readonly AccountPart[]): readonly AccountPart[] {
  return parts.slice(0, -MAIN_PARTS);
}

/** Returns the numbers of the parts that have a page of their own. */
export function partsWithPage(parts: readonly AccountPart[]): readonly number[] {
  return parts.map((_, index) => index + 1).filter((part) => hasPage(part, parts.length));
}

/**
 * Whether a part has a page of its own. Records of the first part have their address on the main page, so the first part needs
 * a page only when the main page does not show it any more.
 * @param parts the number of the account's parts
 */
export function hasPage(part: number, parts: number): boolean {
  return part <= parts && (part > 1 || parts > MAIN_PARTS);
}

/** Returns the number of the part of a record, from 1 for the oldest part. */
export function partOfRecord(parts: readonly AccountPart[], id: number): number {
  let [low, high] = [0, parts.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((parts[middle]?.first ?? 0) <= id) low = middle;
    else high = middle;
  }
  return low + 1;
}
