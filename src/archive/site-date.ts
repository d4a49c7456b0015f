import type { VerifiedTree } from '../tree/verified-tree.ts';
import { readVerified } from '../tree/verified-tree.ts';

const RECORD_DATE = /"first_encountered_date":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[^"]*"/g;
/** The date of a tree without records. */
const NO_DATE = '1970-01-01T00:00:00Z';

/**
 * Returns the date of the newest change in a tree, in whole seconds. It is the date of all records of an archive: the
 * same tree gives the same bytes at any time.
 */
export async function siteDate(tree: VerifiedTree): Promise<string> {
  const newest = (await readVerified(tree, 'data', 1)).toString();
  const dates = Array.from(newest.matchAll(RECORD_DATE), (match) => match[1] ?? '');
  const last = dates.toSorted().at(-1);
  return last === undefined ? NO_DATE : `${last}Z`;
}
