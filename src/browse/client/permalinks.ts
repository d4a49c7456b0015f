import { element, elements } from './page-elements.ts';

/** Sends a reader of a former handle on to the only account that had it, with the fragment. */
export function leaveFormerHandle(): void {
  const target = document.querySelector<HTMLAnchorElement>('.holders > :only-child > a');
  if (target !== null) location.replace(target.href + location.hash);
}

/**
 * Follows the link on the main page of an account to a record or rename that the page no longer shows, and the link on the day of a
 * calendar. A record can belong to an account that had the handle before: the links to such accounts then lead to it. Says so if a record
 * is missing.
 */
export function addPermalinks(): void {
  const notice = element('p', { role: 'status', class: 'missing' });
  const follow = () => {
    notice.replaceChildren(...followPermalink());
    if (notice.textContent === '') notice.remove();
    else document.querySelector('h1')?.after(notice);
  };
  follow();
  addEventListener('hashchange', follow);
}

/** Opens the target of the fragment if it is on another page. Returns the notice about a record that is not on this page; empty: none. */
function followPermalink(): readonly (Node | string)[] {
  if (location.hash === '') return [];
  // :target can match later than this script runs
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLAnchorElement && target.matches('.moved a, .calendar a')) location.replace(target.href);
  if (target !== null) return [];
  const holders = elements<HTMLAnchorElement>('a[data-holder]');
  for (const holder of holders) holder.hash = location.hash;
  const [, kind, id] = /^#([rh])(\d+(?:-\d+)?)$/.exec(location.hash) ?? [];
  if (id === undefined || document.querySelector('.changes') === null) return [];
  const missing = `${kind === 'r' ? `Record ${id}` : 'This rename'} is not on this page.`;
  if (holders.length === 0) return [missing, ' It was removed or moved, or the address is wrong.'];
  const links = holders.flatMap((holder) => [' ', element('a', { href: holder.href }, holder.textContent ?? '')]);
  return [missing, ' See who had this handle before:', ...links];
}
