/** Sends a reader of a former handle on, with the fragment, which the redirect of the page drops. */
export function keepFragment(): void {
  if (location.hash === '' || document.querySelector('meta[http-equiv=refresh]') === null) return;
  const target = document.querySelector<HTMLLinkElement>('link[rel=canonical]');
  if (target !== null) location.replace(target.href + location.hash);
}

/**
 * Goes on to records that are not on the main page of their account any more: the page has a link for each address. A record
 * of an account that had the handle before is elsewhere: the links to such accounts lead to it.
 */
export function addPermalinks(): void {
  followPermalink();
  addEventListener('hashchange', followPermalink);
}

function followPermalink(): void {
  if (location.hash === '') return;
  // :target can match later than this script runs
  const target = document.getElementById(location.hash.slice(1));
  if (target === null) for (const holder of document.querySelectorAll<HTMLAnchorElement>('a[data-holder]')) holder.hash = location.hash;
  else if (target instanceof HTMLAnchorElement && target.closest('.moved') !== null) location.replace(target.href);
}
