import type { FormerHolderText } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { pageBytes, ROOT_3 } from './page-frame.ts';
import { accountPage } from './paths.ts';

/** Returns the page of a handle that no account has today. It leads to the account that had it last. */
export function formerHandlePage(handle: ByteText, holders: readonly FormerHolderText[]): Buffer {
  const target = holders[0] === undefined ? '' : `${ROOT_3}${accountPage(holders[0].screen_name)}`;
  const lines = holders.map(
    ({ screen_name, seen_to }) =>
      `<li><a href="${ROOT_3}${accountPage(screen_name)}"><bdi>@${escapeText(screen_name)}</bdi></a> had it until ${timeMarkup(seen_to, fullDate(seen_to))}\n`,
  );
  const head = `<meta http-equiv=refresh content="1; url=${target}">\n<link rel=canonical href="${target}">\n`;
  return pageBytes(
    { title: `@${handle}, a former handle`, root: ROOT_3, head },
    `<h1><bdi>@${escapeText(handle)}</bdi></h1>\n<p>No account has this handle today.</p>\n<ul class=holders>\n${lines.join('')}</ul>\n`,
  );
}
