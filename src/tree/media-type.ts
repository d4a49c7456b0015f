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
