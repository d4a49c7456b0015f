/** Sends a reader of a former handle on, with the fragment, which the redirect of the page drops. */
export function keepFragment(): void {
  if (location.hash === '' || document.querySelector('meta[http-equiv=refresh]') === null) return;
  const target = document.querySelector<HTMLLinkElement>('link[rel=canonical]');
  if (target !== null) location.replace(target.href + location.hash);
}

/**
 * Follows permalinks of records that are on a page with older changes by now. A record of an account that had the handle
 * before is elsewhere: the links to such accounts lead to it.
 */
export function addPermalinks(): void {
  followPermalink();
  addEventListener('hashchange', followPermalink);
}

function followPermalink(): void {
  const id = Number(/^#r(\d+)$/.exec(location.hash)?.[1]);
  if (Number.isNaN(id) || document.getElementById(`r${id}`) !== null) return;
  const link = Array.from(document.querySelectorAll<HTMLAnchorElement>('a[data-first]')).find(
    ({ dataset }) => Number(dataset['first']) <= id && id <= Number(dataset['last']),
  );
  if (link !== undefined) location.replace(link.href + location.hash);
  else for (const holder of document.querySelectorAll<HTMLAnchorElement>('a[data-holder]')) holder.hash = location.hash;
}
