import type { FormerHolderText } from './browse-account.ts';
import { type ByteText, escapeText } from './byte-text.ts';
import { fullDate, timeMarkup } from './dates.ts';
import { pageBytes, ROOT_3 } from './page-frame.ts';
import { accountFeed, accountPage } from './paths.ts';

/**
 * Returns the page of a handle that no account has today. It leads to the account that had it. If several had it, the
 * reader chooses.
 */
export function formerHandlePage(handle: ByteText, holders: readonly FormerHolderText[]): Buffer {
  return leadingPage(handle, holders, 0, 'No account has this handle today.');
}

/** Returns the page of a part under a former handle, because its records had their addresses there. @param part its number */
export function formerPartPage(handle: ByteText, holders: readonly FormerHolderText[], part: number): Buffer {
  return leadingPage(handle, holders, part, 'An account with another handle today has these changes.');
}

function leadingPage(handle: ByteText, holders: readonly FormerHolderText[], part: number, reason: string): Buffer {
  const linkTo = (screenName: ByteText) => `${ROOT_3}${accountPage(screenName, part)}`;
  const lines = holders.map(
    ({ screen_name, seen_to }) =>
      `<li><a href="${linkTo(screen_name)}" data-holder><bdi>@${escapeText(screen_name)}</bdi></a> had it until ${timeMarkup(seen_to, fullDate(seen_to))}\n`,
  );
  const [holder] = holders;
  const target = holder === undefined ? '' : linkTo(holder.screen_name);
  // at once, because a reader may need any time to read; the script, which keeps the fragment, still runs before
  const redirect = holders.length === 1 ? `<meta http-equiv=refresh content="0; url=${target}">\n` : '';
  const head = `${redirect}<link rel=canonical href="${target}">\n`;
  const feed = holder === undefined || holders.length > 1 ? undefined : accountFeed(holder.screen_name);
  return pageBytes(
    { title: `@${handle}, a former handle`, root: ROOT_3, head, feed },
    `<h1><bdi>@${escapeText(handle)}</bdi></h1>\n<p>${reason}</p>\n<ul class=holders>\n${lines.join('')}</ul>\n`,
  );
}
