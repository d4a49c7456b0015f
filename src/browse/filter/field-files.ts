/**
 * Where the counts of a page of changes are. The build and the script in the browser use this source. It imports nothing.
 */

/** The number of pages of changes whose counts are together. They are counted from the oldest page, so a full part never changes. */
export const FIELD_PAGES = 500;

/**
 * The counts of consecutive pages of changes by the choices of the filter: the records on all older pages, and then the
 * number of each page.
 */
export interface PageCounts {
  readonly [choice: string]: readonly number[];
}

/** The counts of the newest pages. They change with each record, and are in the file of the site. */
export interface NewestCounts {
  /** The number of the oldest of these pages. */
  readonly first: number;
  readonly counts: PageCounts;
}

/** Returns the path of the file with the counts of a page of changes that is not among the newest. Pages are numbered from 1. */
export function fieldsPath(page: number): string {
  return `browse/fields/${Math.ceil(page / FIELD_PAGES)}.js`;
}

/** Returns the place of a page in the lists of its part. */
export function placeInPart(page: number): number {
  return ((page - 1) % FIELD_PAGES) + 1;
}
