/** What a request is answered with: a file of the tree, or a body of a few bytes. */
export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** The file that holds the body, relative to the tree; if there is none, `missing` is the answer. */
  readonly file?: string;
  readonly body?: string;
}

/** What every answer of both collections carries. */
export const COLLECTION_HEADERS: { readonly [name: string]: string } = {
  'Content-Type': 'application/json',
  Vary: 'Accept',
  Allow: 'GET, POST, OPTIONS',
  'Cache-Control': 'public, max-age=0, must-revalidate',
  'Access-Control-Allow-Origin': '*',
};

const PATH = /^\/rest\/(data|account)(\/?)$/;

const OPTIONS: { readonly [collection: string]: string } = {
  data: '{"name":"Data List","description":"Changes of public profile fields, newest first.","renders":["application/json"],"parses":[]}',
  account: '{"name":"Account List","description":"Accounts with their changes.","renders":["application/json"],"parses":[]}',
};

/**
 * Answers a request as Django REST Framework would, from a tree's files.
 * @param method as in the request line
 * @param path as in the request line, without the query
 * @param query without its question mark
 */
export function resolve(method: string, path: string, query: string): Answer {
  const match = PATH.exec(decode(path));
  if (match === null) return { status: 404, headers: { 'Content-Type': 'application/json' }, body: '{"detail":"Not found."}' };
  const [, collection = '', slash] = match;
  if (slash === '') return { status: 301, headers: { Location: `/rest/${collection}/${query === '' ? '' : `?${query}`}` }, body: '' };
  if (method === 'OPTIONS') return { status: 200, headers: COLLECTION_HEADERS, body: OPTIONS[collection] ?? '' };
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, headers: COLLECTION_HEADERS, body: JSON.stringify({ detail: `Method "${method}" not allowed.` }) };
  }
  const page = pageOf(query);
  if (page === undefined) return MISSING;
  const folder = `rest/${collection}`;
  return { status: 200, headers: COLLECTION_HEADERS, file: page === 1 ? `${folder}/index.json` : `${folder}/page/${page}/index.json` };
}

/** The answer where a page's file is not there. */
export const MISSING: Answer = { status: 404, headers: COLLECTION_HEADERS, body: '{"detail":"Invalid page."}' };

/** The page that a query asks for: the last `page` counts, none or an empty one is page 1. */
function pageOf(query: string): number | 'last' | undefined {
  let value = '';
  for (const parameter of query.split('&')) {
    const equals = parameter.indexOf('=');
    const name = equals === -1 ? parameter : parameter.slice(0, equals);
    if (decode(name.replace(/\+/g, ' ')) === 'page') value = equals === -1 ? '' : decode(parameter.slice(equals + 1).replace(/\+/g, ' '));
  }
  if (value === '') return 1;
  return value === 'last' ? 'last' : positive(value);
}

const INTEGER = /^[\s\x85]*\+?(\p{Nd}+(?:_\p{Nd}+)*)[\s\x85]*$/u;

/** What Python's int() makes of a text, where that is a page number; undefined where it is none. */
function positive(text: string): number | undefined {
  const match = INTEGER.exec(text);
  if (match === null || text.includes('\ufeff')) return undefined;
  const written = (match[1] ?? '').replace(/_/g, '');
  // as many as Python reads
  if (written.length > 4300) return undefined;
  const digits = Array.from(written, digit).join('').replace(/^0+/, '');
  return digits === '' || digits.length > 15 ? undefined : Number(digits);
}

/** A decimal digit's value. Unicode has them in runs of ten, zero first, some runs side by side. */
function digit(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return before % 10;
}

/** Percent-decoding as far as it goes: a text that cannot be decoded is no name and no number anyway. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
