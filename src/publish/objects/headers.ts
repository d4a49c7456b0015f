import type { ObjectHeaders } from '../../storage/target.ts';
import { CODINGS, encodingOfPath, plainPath } from '../../tree/encoding.ts';

/** The options that determine the response headers of pages. */
export interface HeaderChoice {
  readonly cacheControl: string;
  readonly gzip: boolean;
}

/** The content of a page changes under the same URL, so every client must revalidate. */
export const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** Returns the headers of a page or a browse file. A compressed copy of a page has its own encoding. */
export function fileHeaders({ cacheControl, gzip }: HeaderChoice, path: string): ObjectHeaders {
  const encoding = encodingOfPath(path) ?? (gzip ? 'gzip' : undefined);
  return { contentType: mediaTypeOf(plainPath(path)), cacheControl, contentEncoding: encoding === undefined ? '' : CODINGS[encoding] };
}

/** Returns the headers of a file beside the pages. Such files are never compressed, because tools read them. */
export function plainHeaders(path: string): ObjectHeaders {
  return { contentType: mediaTypeOf(path), cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' };
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
