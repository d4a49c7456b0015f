import { readFileSync } from 'node:fs';

/** The modules of the client script. A module follows those whose constants it needs. */
const MODULES: readonly string[] = [
  'search-terms',
  'numbers',
  'client/find-accounts',
  'client/word-diff',
  'client/page-elements',
  'client/index-scripts',
  'client/search-box',
  'client/keyboard',
  'client/date-filter',
  'client/comparison',
  'client/permalinks',
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
