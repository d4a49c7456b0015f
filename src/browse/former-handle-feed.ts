import { atomMarkup } from './atom.ts';
import type { FormerHolderText } from './browse-account.ts';
import { type ByteText, encodeFile, escapeText } from './byte-text.ts';
import { accountFeed, accountPage, accountPlace } from './paths.ts';

/**
 * Returns the Atom feed of a handle that no account has today. Its entries tell the readers of the earlier feed where the
 * account is now.
 */
export function formerHandleFeed(baseUrl: string, handle: ByteText, holders: readonly FormerHolderText[]): Buffer {
  const [base, path] = [escapeText(baseUrl), accountFeed(handle)];
  const entries = holders.map(({ screen_name, seen_to }) => {
    const [name, page, feed] = [escapeText(screen_name), accountPage(screen_name), accountFeed(screen_name)];
    const text = `@${name} had the handle @${escapeText(handle)} before. Its page leads to its feed.`;
    return `<entry><id>${base}/${path}#${accountPlace(screen_name).name}</id><title>@${escapeText(handle)} is now @${name}</title><updated>${seen_to}</updated><link href="${base}/${page}"/><link rel="related" href="${base}/${feed}" type="application/atom+xml"/><content>${text}</content></entry>\n`;
  });
  return encodeFile(
    atomMarkup(baseUrl, {
      id: path,
      title: `Changes of @${handle}`,
      // the last account that had the handle comes first
      updated: holders[0]?.seen_to ?? '',
      links: [
        ['self', path],
        ['alternate', accountPage(handle)],
      ],
      entries: entries.join(''),
    }),
  );
}
