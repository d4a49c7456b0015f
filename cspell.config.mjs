import { readFileSync } from 'node:fs';

const glossary = readFileSync(new URL('docs/glossary.md', import.meta.url), 'utf8');
const terms = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, term = '']) => term.match(/\p{L}+/gu) ?? []);

/** Checks the spelling of code and prose. The terms of the glossary are words; words that the project gave up are not. */
export default {
  version: '0.2',
  language: 'en-US',
  files: ['src/**/*.ts', 'test/**/*.{ts,js}', 'bench/**/*.js', 'docs/*.md', '*.md', 'bin/*.js'],
  ignorePaths: ['test/diff/*.json', 'docs/openapi.json', 'test/**/*.json'],
  ignoreRegExpList: ['/[\\u0080-\\uffff]\\p{L}*/gu', '/\\\\u[0-9a-f]{4}/gi', '/`[^`\\n]*`/g', '/[0-9a-f]{16,}/g'],
  words: terms,
  flagWords: ['crew', 'heed', 'heeds', 'heeding', 'likest', 'mend', 'mended', 'mends', 'misfit', 'sighting', 'sightings', 'unbidden'],
};
