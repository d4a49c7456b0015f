/**
 * Maps a request to a file of the tree or to a short body. Every host that runs JavaScript uses this source.
 * Some hosts run an old dialect: no destructuring, no default values of parameters, no `for … of`, no `??`
 * and `?.`, no `u` flag of regular expressions, and strings indexed by code points.
 */

/** The answer to a request: it has either a file of the tree or a short body. */
export interface Answer {
  readonly status: number;
  /** All headers except those about the bytes: length, coding, ETag and ranges. */
  readonly headers: { readonly [name: string]: string };
  /** The file with the body: a path relative to the tree, such as `rest/data/page/2/index.json`. */
  readonly file?: string;
  /** The answer if the file does not exist; omitted if it is {@link MISSING}. */
  readonly missing?: Answer;
  /** The body; empty for a redirect. */
  readonly body?: string;
}

/**
 * The headers of every answer of both collections.
 * @internal
 */
export const COLLECTION_HEADERS: { readonly [name: string]: string } = {
  'Content-Type': 'application/json',
  Vary: 'Accept',
  Allow: 'GET, POST, OPTIONS',
  'Cache-Control': 'public, max-age=0, must-revalidate',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Palimpsest-Version',
};

/** The answer if the file does not exist: 404. */
export const MISSING: Answer = { status: 404, headers: COLLECTION_HEADERS, body: '{"detail":"Invalid page."}' };

/** The answer if the file cannot be read, or is missing although the tree should have it: 503. */
export const UNREADABLE: Answer = {
  status: 503,
  headers: Object.assign({}, COLLECTION_HEADERS, { 'Cache-Control': 'no-store' }),
  body: '{"detail":"This page is temporarily unavailable."}',
};

/**
 * The answer for a path outside the collections.
 * @internal
 */
export const NOT_FOUND: Answer = {
  status: 404,
  headers: { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' },
  body: '{"detail":"Not found."}',
};

/**
 * The answer, with browse files, for any path outside the API that has no file: a page with links to the home page and the accounts.
 * @internal
 */
export const NOT_FOUND_PAGE: Answer = {
  status: 404,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' },
  file: 'browse/404.html',
  missing: NOT_FOUND,
};

/**
 * The bodies of the answers to OPTIONS, by collection.
 * @internal
 */
export const DESCRIPTIONS: { readonly [collection: string]: string } = {
  data: '{"name":"Data List","description":"Changes of public profile fields, newest first.","renders":["application/json"],"parses":[]}',
  account: '{"name":"Account List","description":"Accounts with their changes.","renders":["application/json"],"parses":[]}',
};

/**
 * The media types of browse files, by suffix.
 * @internal
 */
export const BROWSE_TYPES: { readonly [suffix: string]: string } = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  atom: 'application/atom+xml; charset=utf-8',
};

const PATH = /^\/rest\/(data|account)(\/?)$/;

/** Matches the path of a browse file: the home page, or a file below `browse/`. No name begins with a dot. */
const BROWSE_FILE = /^\/(?:(?:index\.html)?|browse\/(?:[\w~-][\w.~-]*\/)*[\w~-][\w.~-]*\.(html|css|js|svg|atom))$/;

/**
 * Returns the answer of Django REST Framework to a request, from the files of a tree. It reads no file and never throws: an
 * invalid request gets an answer with the status 404 or 405, one without the final slash 301.
 * @param method as in the request line, such as `GET`
 * @param path as in the request line, not decoded and without the query, such as `/rest/data/`
 * @param query without the question mark, such as `page=2`; '' if there is none
 * @param base the undecoded path of the base URL, such as `/api` or `/my%20api`; omitted or '' if the tree is at the root
 *   of its host
 * @param browse whether browse files are answered too; omitted if the tree has none
 */
export function resolve(method: string, path: string, query: string, base?: string, browse?: boolean): Answer {
  const root = base === undefined ? '' : base;
  const prefix = decode(root);
  const decoded = decode(path);
  if (decoded.slice(0, prefix.length) !== prefix) return browse ? NOT_FOUND_PAGE : NOT_FOUND;
  const below = decoded.slice(prefix.length);
  const match = PATH.exec(below);
  // in some engines $ also matches before a final line break
  if (match === null || match[0] !== below) return browse ? browseFile(method, below, root) : NOT_FOUND;
  const collection = String(match[1]);
  if (match[2] === '') {
    const location = `${root}/rest/${collection}/${query === '' ? '' : `?${query}`}`;
    return { status: 301, headers: Object.assign({}, COLLECTION_HEADERS, { Location: location }), body: '' };
  }
  if (method === 'OPTIONS') return { status: 200, headers: COLLECTION_HEADERS, body: String(DESCRIPTIONS[collection]) };
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, headers: COLLECTION_HEADERS, body: JSON.stringify({ detail: `Method "${method}" not allowed.` }) };
  }
  const page = pageOf(query);
  if (page === '') return MISSING;
  return { status: 200, headers: COLLECTION_HEADERS, file: `rest/${collection}/${page === '1' ? '' : `page/${page}/`}index.json` };
}

/** Returns the answer to a request for a browse file, with a decoded path below the base URL. */
function browseFile(method: string, below: string, root: string): Answer {
  if (below === '') return { status: 301, headers: { Location: `${root}/` }, body: '' };
  const match = BROWSE_FILE.exec(below);
  if (match === null || match[0] !== below) return /^\/rest(?:\/|$)/.test(below) ? NOT_FOUND : NOT_FOUND_PAGE;
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, HEAD' }, body: '' };
  const type = String(BROWSE_TYPES[match[1] === undefined ? 'html' : match[1]]);
  const headers = { 'Content-Type': type, 'Cache-Control': String(COLLECTION_HEADERS['Cache-Control']) };
  return { status: 200, headers: headers, file: below === '/' ? 'index.html' : below.slice(1), missing: NOT_FOUND_PAGE };
}

/** Returns the page that a query requests, from its last `page` parameter. A missing or empty value is page 1, an invalid one ''. */
function pageOf(query: string): string {
  const value = lastValueOf(query, 'page') || '1';
  return value === 'last' ? value : numberIn(value);
}

/**
 * Returns the decoded value of the last parameter with a name, if there is one.
 * @internal
 */
export function lastValueOf(query: string, wanted: string): string | undefined {
  const parameters = query.split('&');
  for (let at = parameters.length - 1; at >= 0; at -= 1) {
    const parameter = String(parameters[at]).replace(/\+/g, ' ');
    const equals = parameter.indexOf('=');
    const name = equals === -1 ? parameter : parameter.slice(0, equals);
    if (decode(name) === wanted) return equals === -1 ? '' : decode(parameter.slice(equals + 1));
  }
  return undefined;
}

/** Matches what Python's int() accepts: white space, an optional sign, the digits, white space. */
const NUMBER =
  /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\+?([^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+)[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

/** Returns the page number that Python's int() parses from a text, in ASCII digits; '' if the text is not a page number. */
function numberIn(text: string): string {
  const match = NUMBER.exec(text);
  if (match === null) return '';
  const written = String(match[1]);
  let digits = '';
  let before = '_';
  for (let at = 0; at < written.length; at += before.length) {
    const code = Number(written.codePointAt(at));
    const character = String.fromCodePoint(code);
    if (character !== '_') {
      const value = digit(code);
      if (value === -1) return '';
      digits += value;
    } else if (before === '_') {
      return '';
    }
    before = character;
  }
  // Python accepts at most 4300 digits, and no tree has page numbers of more than 15
  if (before === '_' || digits.length > 4300) return '';
  const number = digits.replace(/^0+/, '');
  return number.length > 15 ? '' : number;
}

/** The code points of the digit zero in all scripts (Unicode 14), in hexadecimal. The other nine digits follow each zero. */
const ZEROS = (
  '30 660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 1b50 1bb0 1c40 1c50 ' +
  'a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10 104a0 10d30 11066 110f0 11136 111d0 112f0 11450 114d0 11650 116c0 11730 118e0 11950 ' +
  '11c50 11d50 11da0 16a60 16ac0 16b50 1d7ce 1d7d8 1d7e2 1d7ec 1d7f6 1e140 1e2f0 1e950 1fbf0'
)
  .split(' ')
  .map((zero) => Number.parseInt(zero, 16));

/** Returns the value of a code point as a decimal digit; -1 if it is not a digit. */
function digit(code: number): number {
  for (let at = 0; at < ZEROS.length; at += 1) {
    const value = code - Number(ZEROS[at]);
    if (value >= 0 && value <= 9) return value;
  }
  return -1;
}

/**
 * Percent-decodes a text. Returns a text that cannot be decoded unchanged, because it is neither a name nor a number.
 * @internal
 */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (_) {
    return text;
  }
}
