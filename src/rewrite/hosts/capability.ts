/**
 * The capabilities of hosts beyond the core. test/conformance has a probe for each: the probe must succeed if a host has
 * the capability, and must fail if the host lacks it.
 */
export const CAPABILITIES = {
  'empty-value': '`?page=` and `?page` return page 1',
  'letter-case': '`?page=LAST` is an invalid page, and `?PAGE=2` is not a page parameter',
  'last-repeat': 'if `page` is repeated, the last value counts',
  integers: 'numbers are parsed as in Python: `02`, `+2`, `0_2`, and numbers with Unicode white space around them',
  'percent-decoding': '`p%61ge=%32` is `page=2`',
  'other-digits': 'Unicode digits other than 0 to 9 are accepted',
  'control-characters': '`%0A` and other control characters in a path or query are handled like any other character',
  'leading-zeros': 'a number may have thousands of leading zeros',
  'digit-limit': 'a number of more than 4,300 digits is an invalid page, as in Python',
  'encoded-path': '`/rest/d%61ta/` and `/rest/data%2F` are the same as `/rest/data/`',
  'exact-path': '`/rest//data/`, `/rest/./data/` and `/rest/x/../data/` return 404',
  head: 'HEAD returns the same as GET, without the body',
  headers: 'a page has the headers of the API',
  'error-headers': '404 and 405 responses have the headers of the API',
  'single-headers': 'no header is sent twice',
  'missing-page': 'a page that does not exist returns 404 with the body of DRF',
  'unknown-path': 'a path outside the collections returns 404 with the body of DRF',
  redirect: 'a path without the final slash is redirected with 301, and the query is kept',
  'redirect-encoding': 'the redirect does not decode the query: `%2F` does not become `/`',
  options: 'OPTIONS returns 200 with the headers of the API',
  'options-body': 'OPTIONS returns a description in JSON',
  methods: 'other methods return 405',
  'methods-body': 'a 405 response has the body of DRF, which names the method',
  'rare-methods': 'TRACE and PROPFIND return 405 with the same headers and body',
  'unknown-methods': 'a method that HTTP does not define returns 405',
  range: '`Range` is ignored: a page is always sent whole',
  revalidation: 'a request with the ETag of a page is answered with 304 if the page is unchanged, and with the page if it changed',
  'etag-list': '`If-None-Match` may be `*` or a list',
  'content-etag': 'the ETag depends on the content: it changes even if the size and the modification time of a file stay the same',
  gzip: 'sends the `.gz` file of a page to clients that accept gzip',
  brotli: 'sends the `.br` file of a page to clients that accept Brotli',
  'damaged-files': 'with versions: a file that does not match its CRC-32 is answered with 503, and never sent',
  browse: 'serves the files of `build --html`: the home page, and the files below `browse/` with their media types',
} as const;

/** Capabilities that no host can have, because pages are files. The tests prove this too. */
export const NO_HOST_CAN = {
  'link-parameters': '`next` and `previous` cannot keep other query parameters, because the links are part of the page file',
} as const;

export type Capability = keyof typeof CAPABILITIES;
