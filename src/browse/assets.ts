import { readFileSync } from 'node:fs';

/** The parts of the stylesheet in their order: a later rule wins over an earlier one. */
const STYLE_PARTS = [
  'page',
  'differences',
  'changes',
  'account-changes',
  'profile',
  'tables',
  'chart',
  'script',
  'narrow',
  'print',
] as const;

/** Returns the stylesheet of all pages. Its parts are files of the program. */
export function stylesheet(): Buffer {
  return Buffer.from(STYLE_PARTS.map((part) => asset(`style/${part}.css`).toString()).join('\n'));
}

/** Returns the icon of all pages, an SVG. */
export function icon(): Buffer {
  return asset('icon.svg');
}

function asset(path: string): Buffer {
  return readFileSync(new URL(`../../src/browse/assets/${path}`, import.meta.url));
}

/**
 * Returns the script of the pages: one classic script, because a page from `file://` cannot load modules. Tests that run the source
 * use the bundled one too, so that the bytes are always the same.
 */
export function clientScript(): Buffer {
  return readFileSync(new URL('../../dist/bundle/client/main.js', import.meta.url));
}
