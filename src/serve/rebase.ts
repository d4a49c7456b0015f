/**
 * A page whose links lead to another place: `next` and `previous`, which stand before the first item,
 * are changed where they begin with the base URL; nothing else is.
 * @param from the base URL that the tree was built for, without a slash at the end
 * @param to the address that takes its place
 */
export function rebase(page: Buffer, from: string, to: string): Buffer {
  const end = page.indexOf(RESULTS);
  if (end === -1) return page;
  const head = page.toString('utf8', 0, end);
  const link = (base: string) => `":${JSON.stringify(`${base}/rest/`).slice(0, -1)}`;
  // a function, because $& in a text would stand for what is replaced
  const links = head.replaceAll(link(from), () => link(to));
  return Buffer.concat([Buffer.from(links), page.subarray(end)]);
}

const RESULTS = ',"results":[';
