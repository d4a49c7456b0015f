import { lengthOf } from './intervals.ts';
import type { PageSetReport } from './page-set.ts';

/** How many ranges of page numbers a message lists. */
const LISTED = 10;

/** Describes what is missing from a set of saved pages: `200 of 6921 items are missing: pages 12, 40`. */
export function lackOf(set: PageSetReport): string {
  if (set.missingItems === 0) return set.reason ?? 'nothing is missing';
  const amount = set.reason === null ? '' : 'probably ';
  const note = set.reason === null ? '' : `; ${set.reason}`;
  return `${amount}${set.missingItems} of ${set.count} items are missing${pagesOf(set)}${note}`;
}

function pagesOf({ missingPages, expectedPages }: PageSetReport): string {
  if (missingPages.length === 0) return '';
  const listed = missingPages.slice(0, LISTED);
  const runs = listed.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
  const more = lengthOf(missingPages) - lengthOf(listed);
  const noun = lengthOf(missingPages) === 1 ? 'page' : 'pages';
  return `: ${noun} ${runs.join(', ')}${more === 0 ? '' : ` and ${more} more`} of ${expectedPages}`;
}
