/**
 * What a host may be able to do beyond the core. test/conformance has a probe for each: it must succeed where a
 * host has the capability, and must fail where it lacks it.
 */
export const CAPABILITIES = {
  'empty-value': '`?page=` and `?page` are page 1',
  'letter-case': '`?page=LAST` is no page, `?PAGE=2` is no page parameter',
  'last-repeat': 'of several `page` the last counts',
  integers: 'numbers as Python reads them: `02`, `+2`, ` 2`, `0_2`',
  'percent-decoding': '`p%61ge=%32` is `page=2`',
  'other-digits': 'digits of other scripts count',
  head: 'HEAD has what GET has, but for the body',
  headers: "a page has the interface's headers",
  'error-headers': 'so have 404 and 405',
  'missing-page': 'a page that is not there is 404 with the body of DRF',
  'unknown-path': 'so is a path that is none',
  redirect: 'a missing slash is 301 to the path with it, the query kept',
  options: 'OPTIONS is 200 with the headers',
  'options-body': 'and with a description in JSON',
  methods: 'other methods are 405',
  'methods-body': 'with the body of DRF, in which the method stands',
  revalidation: 'an ETag spares sending a page again, and only while it is the same',
  'content-etag': 'even where a file was changed without a change of its size and time',
  gzip: 'sends the `.gz` beside a page to who takes it',
  brotli: 'sends the `.br` beside a page to who takes it',
} as const;

export type Capability = keyof typeof CAPABILITIES;
