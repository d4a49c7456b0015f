/**
 * Replaces the base URL in the `next` and `previous` links of a page. Both links are before the first item. A link that
 * does not begin with the base URL stays unchanged, and so does the rest of the page.
 * @param from the base URL of the tree, without a slash at the end
 * @param to the new base URL
 */
export function rebase(page: Buffer, from: string, to: string): Buffer {
  const end = page.indexOf(RESULTS);
  if (end === -1) return page;
  const head = page.toString('utf8', 0, end);
  const link = (base: string) => `":${JSON.stringify(`${base}/rest/`).slice(0, -1)}`;
  // a function, because replaceAll would interpret $& in a string
  const links = head.replaceAll(link(from), () => link(to));
  return Buffer.concat([Buffer.from(links), page.subarray(end)]);
}

const RESULTS = ',"results":[';

/** Returns the path of a base URL; '' for the root of a host. */
export function basePathOf(base: string): string {
  return new URL(base).pathname.replace(/\/$/, '');
}
