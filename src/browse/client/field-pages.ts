import { fieldsPath, type PageCounts, placeInPart } from '../filter/field-files.ts';
import { counted, number } from '../numbers.ts';
import { loadSite } from './citation.ts';
import { element, scriptLoader } from './page-elements.ts';

declare global {
  interface Window {
    /** The file of counts that was loaded last sets it. */
    palimpsestFields?: PageCounts;
  }
}

/**
 * Adds to a page of all changes how many records of the chosen kind all pages have, and links to the next pages with some.
 * @param place is empty if all records are chosen, or the counts cannot be loaded
 */
export async function showFieldPages(place: HTMLElement, { id }: HTMLInputElement): Promise<void> {
  place.replaceChildren();
  place.dataset['choice'] = id;
  const page = Number(/\/browse\/changes\/(\d+)\.html$/.exec(location.pathname)?.[1] ?? 0);
  if (page === 0 || id === 'fA') return;
  const choice = id.slice(1);
  const total = sumOf((await loadSite()).fields?.counts[choice]);
  const counts = (await loadCounts(page))[choice];
  const older = sumOf(counts?.slice(0, placeInPart(page)));
  const own = counts?.[placeInPart(page)] ?? 0;
  const newerPage = await nearest(choice, page, 1, total - older - own);
  const olderPage = await nearest(choice, page, -1, older);
  // the reader can have chosen again
  if (place.dataset['choice'] !== id) return;
  const link = (name: string, to: number) => (to === 0 ? '' : element('a', { href: `${to}.html#${id}` }, `${name}: page ${number(to)}`));
  place.replaceChildren(`${counted(total, 'record')} on all pages. `, link('Newer', newerPage), ' ', link('Older', olderPage));
}

/** Returns the next page with records of a choice; 0: none. @param left the number of such records in that direction */
async function nearest(choice: string, page: number, step: 1 | -1, left: number): Promise<number> {
  if (left <= 0) return 0;
  const { first = 1, counts = {} } = (await loadSite()).fields ?? {};
  const last = Math.max(page, first + (counts[choice]?.length ?? 0) - 2);
  // files of two builds can count different records
  for (let next = page + step; next >= 1 && next <= last; next += step) {
    if (((await loadCounts(next))[choice]?.[placeInPart(next)] ?? 0) > 0) return next;
  }
  return 0;
}

function sumOf(numbers: readonly number[] = []): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

const loadFields = scriptLoader(() => window.palimpsestFields ?? {});

/** Loads the counts of a page and of the pages around it. */
async function loadCounts(page: number): Promise<PageCounts> {
  const { fields } = await loadSite();
  return fields !== undefined && page >= fields.first ? fields.counts : loadFields(fieldsPath(page));
}
