/**
 * Returns the key under which an index of web archives has a URL: in lower case, the host with its last label first and without `www`,
 * the path, and the parameters of the query in order. Readers of archives compute the same key.
 * @param url an absolute URL of http or https
 */
export function surt(url: string): string {
  const { hostname, port, pathname, search } = new URL(url.replace(/^(https?:\/\/)www\d*\./, '$1').toLowerCase());
  const host = hostname.split('.').toReversed().join(',') + (port === '' ? '' : `:${port}`);
  const query = search.slice(1).split('&').toSorted().join('&');
  return `${host})${pathname}${query === '' ? '' : `?${query}`}`;
}
