import { readFileSync } from 'node:fs';

/** The parts of the stylesheet in their order: a later rule wins over an earlier one. */
const STYLE_PARTS = [
  'basics',
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

/** The modules of the client script. A module follows those whose constants it needs. */
const MODULES: readonly string[] = [
  'search/search-terms',
  'numbers',
  'filter/field-files',
  'client/find-accounts',
  'client/word-diff',
  'client/page-elements',
  'client/index-scripts',
  'client/search-box',
  'client/keyboard',
  'client/copied-text',
  'client/filters/field-pages',
  'client/filters/other-dates',
  'client/filters/date-filter',
  'client/comparison',
  'client/profile-of-day',
  'client/downloads',
  'client/permalinks',
  'client/citation-formats',
  'client/citation',
  'client/main',
];

/** The compiled modules. Tests that run the source use them too, so that the bytes are always the same. */
const COMPILED = new URL('../../dist/browse/script/', import.meta.url);

/** Returns the script of the pages: one classic script, because a page from `file://` cannot load modules. It has no indentation. */
export function clientScript(): string {
  const modules = MODULES.map((name) => readFileSync(new URL(`${name}.js`, COMPILED), 'utf8'));
  const statements = modules.map((text) => text.replace(/^import .*\n/gm, '').replace(/^export (\{\};\n)?/gm, ''));
  return `(() => {\n'use strict';\n${statements.join('').replace(/^ +/gm, '')}})();\n`;
}
