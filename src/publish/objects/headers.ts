import type { ObjectHeaders } from '../../storage/target.ts';
import { CODINGS, type Encoding, encodingOfPath, plainPath } from '../../tree/encoding.ts';

/** The options that determine the response headers of pages. */
export interface HeaderChoice {
  readonly cacheControl: string;
  readonly gzip: boolean;
}

/** The content of a page changes under the same URL, so every client must revalidate. */
export const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** Returns the headers of a page, or of one of its compressed variants. */
export function pageHeaders({ cacheControl, gzip }: HeaderChoice, variant?: Encoding): ObjectHeaders {
  const contentEncoding = variant === undefined ? (gzip ? CODINGS.gzip : '') : CODINGS[variant];
  return { contentType: 'application/json', cacheControl, contentEncoding };
}

/** Returns the headers of a file of the tree: those of a page, with the media type of the file. */
export function fileHeaders(choice: HeaderChoice, path: string): ObjectHeaders {
  return { ...pageHeaders(choice, encodingOfPath(path)), contentType: mediaTypeOf(plainPath(path)) };
}

/** Returns the headers of a file beside the pages. Such files are never compressed, because tools read them. */
export function plainHeaders(path: string): ObjectHeaders {
  const contentType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
  return { contentType, cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' };
}

/** Returns all headers in one line, for comparison. */
export function headerLine({ contentType, cacheControl, contentEncoding }: ObjectHeaders): string {
  return [contentType, cacheControl, contentEncoding].join(' | ');
}

/** The media types of the files of a tree, by the end of their names. */
const MEDIA_TYPES: { readonly [suffix: string]: string } = {
  json: 'application/json',
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  atom: 'application/atom+xml; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Returns the value of Content-Type for a file; `text/plain` if its name has no known end. */
export function mediaTypeOf(path: string): string {
  return MEDIA_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'text/plain; charset=utf-8';
}
