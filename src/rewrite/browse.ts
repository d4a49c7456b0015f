import { type Answer, COLLECTION_HEADERS, decode, NOT_FOUND, resolve } from './resolve.ts';

/**
 * Adds the browse files of a tree to resolve.ts: the home page, and the files below `browse/`. Scripts contain this source
 * only if the tree has such files. It is written in the same old dialect, and it is short: a function of CloudFront has
 * 10 KB, with its comments.
 */
export type Headers = Answer['headers'];

/** The media types of browse files, by suffix. */
export const BROWSE_TYPES: Headers = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  atom: 'application/atom+xml; charset=utf-8',
};

/** The folders of the HTML pages with the same items as the pages of a collection. */
export const HTML_FOLDERS: { readonly [collection: string]: string } = { data: 'browse/changes', account: 'browse/accounts' };

/** Matches the path of a browse file. No name begins with a dot. */
const BROWSE_FILE = /^\/(?:index\.html|browse\/(?:[\w~-][\w.~-]*\/)*[\w~-][\w.~-]*\.(html|css|js|svg|atom))$/;

/** Does the same as `resolve`, but with browse files. A page of a collection is HTML for clients that ask for HTML. */
export function resolveWithBrowse(method: string, path: string, query: string, base: string, accept: string): Answer {
  const answer = resolve(method, path, query, base);
  if (answer === NOT_FOUND) return browseFile(method, path, base);
  const page = /^rest\/(data|account)\/(?:page\/(\d+)\/)?index\.json$/.exec(String(answer.file));
  if (page === null || !prefersHtml(accept)) return answer;
  const headers = Object.assign({}, COLLECTION_HEADERS, { 'Content-Type': BROWSE_TYPES['html'] });
  return { status: 200, headers: headers, file: `${HTML_FOLDERS[String(page[1])]}/${page[2] === undefined ? 1 : page[2]}.html` };
}

/** Returns whether an Accept header names HTML and not JSON. Like Django REST Framework, it ignores weights (q). */
function prefersHtml(accept: string): boolean {
  return /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept) && !/(?:^|,)\s*application\/json\s*(?:[;,]|$)/i.test(accept);
}

function browseFile(method: string, path: string, base: string): Answer {
  const prefix = decode(base);
  const decoded = decode(path);
  if (decoded === prefix) return { status: 301, headers: { Location: `${base}/` }, body: '' };
  const below = decoded === `${prefix}/` ? '/index.html' : decoded.slice(prefix.length);
  const match = decoded.slice(0, prefix.length) === prefix ? BROWSE_FILE.exec(below) : null;
  if (match === null || match[0] !== below) return NOT_FOUND;
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET, HEAD' }, body: '' };
  const type = String(BROWSE_TYPES[match[1] === undefined ? 'html' : match[1]]);
  const headers = { 'Content-Type': type, 'Cache-Control': String(COLLECTION_HEADERS['Cache-Control']) };
  return { status: 200, headers: headers, file: below.slice(1), missing: NOT_FOUND };
}
