import { withLinks } from '../rewrite/versions.ts';

/**
 * Returns a file with links that begin with another base URL. Other files than pages of the API and feeds have no such link.
 * @param from the base URL of the tree, without a slash at the end
 * @param to the new base URL
 */
export function rebased(path: string, file: Buffer, from: string, to: string): Buffer {
  if (path.endsWith('.atom')) return rebaseFeed(file, from, to);
  return path.endsWith('.json') ? rebasePage(file, to) : file;
}

/** Replaces the base URL in the `next` and `previous` links of a page. Both are before the first item. */
function rebasePage(page: Buffer, to: string): Buffer {
  const start = page.indexOf(RESULTS);
  if (start === -1) return page;
  const end = start + RESULTS.length;
  return Buffer.concat([Buffer.from(withLinks(page.toString('utf8', 0, end), to, '')), page.subarray(end)]);
}

const RESULTS = ',"results":[';

/**
 * Replaces the base URL in the links of an Atom document. Ids stay unchanged, because they must be the same everywhere and
 * always. So do links to snapshots (`via`), which belong to a record.
 */
function rebaseFeed(feed: Buffer, from: string, to: string): Buffer {
  const start = `${escapeAmpersands(from)}/`;
  const rebased = feed.toString('latin1').replace(LINK, (link, before: string, href: string) => {
    return href.startsWith(start) ? `${before}${escapeAmpersands(to)}/${href.slice(start.length)}` : link;
  });
  return Buffer.from(rebased, 'latin1');
}

/** Matches a link of an Atom document up to the end of its address. Texts contain no `<`: it is escaped there. */
const LINK = /(<link (?:rel="(?!via")[^"]*" )?href=")([^"]*)/g;

/** Escapes the only character of XML that a base URL can contain. */
function escapeAmpersands(url: string): string {
  return url.replaceAll('&', '&amp;');
}

/** Returns the path of a base URL; '' for the root of a host. */
export function basePathOf(base: string): string {
  return new URL(base).pathname.replace(/\/$/, '');
}
