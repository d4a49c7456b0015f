/**
 * What a host may be able to do beyond the core. test/conformance has a probe for each: it must succeed where a
 * host has the capability, and must fail where it lacks it.
 */
export const CAPABILITIES = {
  'empty-value': '`?page=` and `?page` are page 1',
  'letter-case': '`?page=LAST` is no page, `?PAGE=2` is no page parameter',
  'last-repeat': 'of several `page` the last counts',
  integers: 'numbers as Python reads them: `02`, `+2`, `0_2`, with white space of any script around them',
  'percent-decoding': '`p%61ge=%32` is `page=2`',
  'other-digits': 'digits of other scripts count',
  'control-characters': '`%0A` and the like in a path or a query are answered like any other character',
  'leading-zeros': 'thousands of zeros may stand before a number',
  'digit-limit': 'a number of more than 4,300 digits is no page, as in Python',
  'encoded-path': '`/rest/d%61ta/` and `/rest/data%2F` are `/rest/data/`',
  'exact-path': '`/rest//data/`, `/rest/./data/` and `/rest/x/../data/` are 404',
  head: 'HEAD has what GET has, but for the body',
  headers: "a page has the interface's headers",
  'error-headers': 'so have 404 and 405',
  'single-headers': 'no header is sent twice',
  'missing-page': 'a page that is not there is 404 with the body of DRF',
  'unknown-path': 'so is a path that is none',
  redirect: 'a missing slash is 301 to the path with it, the query kept',
  'redirect-encoding': 'and as it came: `%2F` does not become `/`',
  options: 'OPTIONS is 200 with the headers',
  'options-body': 'and with a description in JSON',
  methods: 'other methods are 405',
  'methods-body': 'with the body of DRF, in which the method stands',
  'rare-methods': 'TRACE and PROPFIND are 405 with the same headers and body',
  'unknown-methods': 'so is a method that HTTP does not have',
  range: '`Range` is ignored: a page is sent whole',
  revalidation: 'an ETag spares sending a page again, and only while it is the same',
  'etag-list': '`If-None-Match` may be `*` or a list',
  'content-etag': 'even where a file was changed without a change of its size and time',
  gzip: 'sends the `.gz` beside a page to who takes it',
  brotli: 'sends the `.br` beside a page to who takes it',
} as const;

/** What no host can do, since its pages are files; the tests prove that too. */
export const NO_HOST_CAN = {
  'link-parameters': "other parameters beside `page` are kept in `next` and `previous`: a page's links are in its file",
} as const;

export type Capability = keyof typeof CAPABILITIES;
