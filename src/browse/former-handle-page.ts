import type { FormerHolderText } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { pageBytes, ROOT_3 } from './page-frame.ts';
import { accountPage } from './paths.ts';

/**
 * Returns the page of a handle that no account has today. It leads to the account that had it. If several had it, the
 * reader chooses.
 */
export function formerHandlePage(handle: ByteText, holders: readonly FormerHolderText[]): Buffer {
  const target = holders[0] === undefined ? '' : `${ROOT_3}${accountPage(holders[0].screen_name)}`;
  const lines = holders.map(
    ({ screen_name, seen_to }) =>
      `<li><a href="${ROOT_3}${accountPage(screen_name)}" data-holder><bdi>@${escapeText(screen_name)}</bdi></a> had it until ${timeMarkup(seen_to, fullDate(seen_to))}\n`,
  );
  // at once, because a reader may need any time to read; the script, which keeps the fragment, still runs before
  const redirect = holders.length === 1 ? `<meta http-equiv=refresh content="0; url=${target}">\n` : '';
  const head = `${redirect}<link rel=canonical href="${target}">\n`;
  return pageBytes(
    { title: `@${handle}, a former handle`, root: ROOT_3, head },
    `<h1><bdi>@${escapeText(handle)}</bdi></h1>\n<p>No account has this handle today.</p>\n<ul class=holders>\n${lines.join('')}</ul>\n`,
  );
}
