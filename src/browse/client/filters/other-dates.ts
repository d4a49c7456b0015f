import { loadSite } from '../citation.ts';
import { allChanges, dayOf, element, mainPage, rootPath } from '../page-elements.ts';

/**
 * Adds links to other pages that have the chosen dates: on the page of an account to those days, elsewhere to their months.
 * @param place is empty if this page has all of the dates, or the months cannot be loaded
 * @param from the first day, and `to` the last one; '' if it is not chosen
 */
export async function showOtherDates(place: HTMLElement, from: string, to: string): Promise<void> {
  place.replaceChildren();
  place.dataset['choice'] = from + to;
  const isElsewhere = [from, to].map(isOnOtherPage);
  if (!isElsewhere.includes(true)) return;
  const isAccount = document.querySelector('.own') !== null;
  const ends = isAccount ? [from, to] : await monthsBetween(from.slice(0, 7), to.slice(0, 7));
  // the reader can have chosen again
  if (ends === undefined || place.dataset['choice'] !== from + to) return;
  const links = [...new Set(ends.filter((_, index) => isElsewhere[index]))]
    .filter(Boolean)
    .map((end) => element('a', { href: isAccount ? `${mainPage()}.html#on=${end}` : `${rootPath()}browse/months/${end}.html` }, end));
  place.replaceChildren(...(links.length === 0 ? ['No page has entries of these dates.'] : ['On other pages:', ...links]));
}

/** Whether a day is before or after those of this page, and there are pages with older or newer entries. */
function isOnOtherPage(day: string): boolean {
  const changes = allChanges();
  const [newest, oldest] = [changes[0], changes.at(-1)];
  if (day === '' || newest === undefined || oldest === undefined) return false;
  if (day < dayOf(oldest)) return document.querySelector('nav[aria-label="Older changes"]') !== null;
  return day > dayOf(newest) && document.querySelector('nav[aria-label="Newer changes"] :is([rel=prev], span + a)') !== null;
}

/** Returns the first and the last month with records between two months; undefined if it cannot be known. */
async function monthsBetween(from: string, to: string): Promise<readonly string[] | undefined> {
  const { months } = await loadSite();
  const between = months?.filter((month) => month >= from && (to === '' || month <= to));
  return between && [between.at(-1) ?? '', between[0] ?? ''];
}
