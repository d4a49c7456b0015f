/** Returns a file with links that begin with another base URL. Other files than pages of the API and feeds have no such link. */
export function rebased(path: string, file: Buffer, from: string, to: string): Buffer {
  if (path.endsWith('.json')) return rebasePage(file, from, to);
  return path.endsWith('.atom') ? rebaseFeed(file, from, to) : file;
}

/**
 * Replaces the base URL in the `next` and `previous` links of a page. Both links are before the first item. A link that
 * does not begin with the base URL stays unchanged, and so does the rest of the page.
 * @param from the base URL of the tree, without a slash at the end
 * @param to the new base URL
 */
function rebasePage(page: Buffer, from: string, to: string): Buffer {
  const end = page.indexOf(RESULTS);
  if (end === -1) return page;
  const head = page.toString('utf8', 0, end);
  const link = (base: string) => `":${JSON.stringify(`${base}/rest/`).slice(0, -1)}`;
  // a function, because replaceAll would interpret $& in a string
  const links = head.replaceAll(link(from), () => link(to));
  return Buffer.concat([Buffer.from(links), page.subarray(end)]);
}

const RESULTS = ',"results":[';

/**
 * Replaces the base URL in the links of an Atom document. Ids stay unchanged, because they must be the same everywhere and
 * always. So do links to snapshots (`via`), which belong to a record.
 * @param from the base URL of the tree, without a slash at the end
 * @param to the new base URL
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
