import { chmodSync, mkdirSync, rmdirSync, symlinkSync } from 'node:fs';
import type { Rule } from '../../../src/verify/violation.ts';
import type { DamagedTree } from '../damaged-tree.ts';
import { type Damage, damaged, GARBAGE } from './damage.ts';

const BUILD = 'build.json';
const MANIFEST = 'manifest-sha256.txt';
const KEYS = 'sort-keys.txt';
const FIRST = 'rest/data/index.json';
const MIDDLE = 'rest/data/page/5/index.json';

/** Damages outside of the contents of pages: the build record, the manifest, and missing, changed or unexpected files. */
export const FILE_DAMAGES: readonly Damage[] = [
  buildRecord('is empty', (tree) => tree.write(BUILD, '')),
  buildRecord('is that of another program', (tree) => tree.write(BUILD, '{"name":"site","version":"1.0.0"}')),
  buildRecord('is unfinished', (tree) => tree.write(BUILD, '{"palimpsest":"0.1.0","state":"unfinished"}')),
  buildRecord('does not say which code rendered the pages', (tree) => tree.editBuild({ renderer: undefined })),
  buildRecord('has an unknown field', (tree) => tree.editBuild({ pages: 9 })),
  buildRecord('has more pages than any disk can store', (tree) => tree.editBuild({ data_pages: Number.MAX_SAFE_INTEGER })),
  buildRecord('has more pages than any disk can store, and as many accounts', (tree) =>
    tree.editBuild({ account_page_size: 1, accounts: Number.MAX_SAFE_INTEGER, account_pages: Number.MAX_SAFE_INTEGER }),
  ),
  {
    ...buildRecord('has zero pages, so that no page is checked', (tree) => {
      for (const collection of ['data', 'account'] as const) {
        tree.remove(`rest/${collection}`);
        for (const file of [`rest/${collection}/index.json`, `rest/${collection}/page/last/index.json`]) tree.write(file, GARBAGE);
      }
      tree.editBuild({ records: 0, accounts: 0, data_pages: 0, account_pages: 0 });
    }),
    deep: true,
  },

  missing('the manifest is missing', MANIFEST),
  damaged('the manifest is empty', ['manifest-digest', MANIFEST], (tree) => tree.write(MANIFEST, ''), 'manifest-line'),
  damaged('build.json names another manifest', ['manifest-digest', MANIFEST, undefined, `SHA-256 ${'0'.repeat(64)}`], (tree) =>
    tree.editBuild({ manifest: '0'.repeat(64) }),
  ),
  manifestLines('is empty and build.json has its digest', () => '', `a line for ${FIRST}`),
  manifestLines('has CRLF', (text) => text.replaceAll('\n', '\r\n'), 'line 1: an invalid line'),
  manifestLines('has every line twice', (text) => text.replace(/.+\n/g, '$&$&'), `line 2: ${FIRST}`),
  manifestLines('has two pages in another order', (text) => text.replace(/(.+\/4\/.+\n)(.+\/5\/.+\n)/, '$2$1'), 'line 5: rest/data/page/5'),
  manifestLines(
    'has the accounts first',
    (text) => text.replace(/((?:.+\/data\/.+\n)+)((?:.+\/account\/.+\n)+)/, '$2$1'),
    'line 1: rest/acc',
  ),
  manifestLines('begins with the sort keys', (text) => text.replace(/^((?:.+\n)+)(.+ sort-keys.txt\n)$/, '$2$1'), 'line 1: sort-keys.txt'),
  manifestLines('lacks a line', (text) => text.replace(/.+page\/4\/index.json\n/, ''), 'a line for rest/data/page/4/index.json'),
  ...['../secret', 'rest/data/page/10/index.json'].map((path) =>
    manifestLines(`lists ${path}`, (text) => `${text}${'a'.repeat(64)}  ${path}\n`, `line 18: ${path}`),
  ),
  damaged('the digest of a file is wrong in the manifest, and build.json has the digest of that manifest', ['file-digest', FIRST], (tree) =>
    tree.setManifest(otherDigit(tree.text(MANIFEST))),
  ),

  sortKeys('has another first record of a page', (text) => text.replace(/^(\d+) (\d+)$/m, '$11 $2')),
  sortKeys('lacks an account', (text) => text.replace(/\n"[^"]+"\n$/, '\n')),
  sortKeys('has another page size', (text) => text.replace('data 7', 'data 8')),
  missing('the file of sort keys is missing', KEYS),
  damaged('the file of sort keys has other bytes', ['file-digest', KEYS], (tree) => tree.write(KEYS, `${tree.text(KEYS)}7\n`)),

  missing('a page in the middle is missing', MIDDLE, 'account-data-surplus'),
  missing('the index file of a collection is missing', 'rest/account/index.json', 'account-data-missing'),
  damaged('a file is at the path of the pages', ['file-missing', FIRST], inPlaceOf('rest', 'rest'), 'unexpected-file'),
  damaged('a page cannot be read', ['file-missing', MIDDLE], unreadable, 'account-data-surplus'),
  damaged('one character of a page is changed', ['file-digest', 'rest/account/page/3/index.json'], (tree) =>
    tree.editText('account', 3, (text) => text.replace('I am zoe', 'I am Zoe')),
  ),
  damaged(
    'the second file of a page is older than the first',
    ['file-digest', 'rest/data/page/1/index.json'],
    (tree) => tree.write('rest/data/page/1/index.json', tree.text(FIRST).replace('"count":60', '"count":59')),
    'duplicate-mismatch',
  ),
  ...['notes.txt', 'rest/data/.hidden', 'rest/data/page/10/index.json', 'rest/data/page/1/index.json.gz'].map((path) =>
    unexpected(`${path} exists`, path),
  ),
  unexpected('a file is inside 400 nested folders', `rest/${'d/'.repeat(400)}file`),
  damaged('a folder is a symbolic link to its parent', ['unexpected-file', 'rest/data/page/around'], (tree) =>
    link(tree, '..', 'rest/data/page/around'),
  ),
  ...(process.platform === 'linux'
    ? [
        {
          ...damaged('a folder has a name that is not UTF-8', ['unexpected-file', 'rest/notes.txt'], (tree) => {
            mkdirSync(noUtf8(tree));
            tree.write('rest/notes.txt', 'x');
          }),
          after: (tree: DamagedTree) => rmdirSync(noUtf8(tree)),
        },
      ]
    : []),
];

function buildRecord(what: string, damage: Damage['damage']): Damage {
  return damaged(`build.json ${what}`, ['build-record', BUILD], damage);
}

/** Changes the sort keys. The manifest and build.json have their digests. */
function sortKeys(what: string, edit: (text: string) => string): Damage {
  return damaged(`sort-keys.txt ${what}`, ['sort-keys', KEYS], (tree) => tree.setSortKeys(edit(tree.text(KEYS))));
}

/** Changes the manifest. build.json has its digest, so that only the lines are wrong. */
function manifestLines(what: string, edit: (text: string) => string | Uint8Array, mentions: string): Damage {
  return damaged(`the manifest ${what}`, ['manifest-line', MANIFEST, undefined, mentions], (tree) =>
    tree.setManifest(edit(tree.text(MANIFEST))),
  );
}

function missing(name: string, path: string, ...also: readonly Rule[]): Damage {
  return damaged(name, ['file-missing', path], (tree) => tree.remove(path), ...also);
}

function unexpected(name: string, path: string): Damage {
  return damaged(name, ['unexpected-file', path], (tree) => tree.write(path, 'x'));
}

/** Writes a file in place of another file or folder. */
function inPlaceOf(path: string, file: string): Damage['damage'] {
  return (tree) => {
    tree.remove(path);
    tree.write(file, 'nothing');
  };
}

function noUtf8(tree: DamagedTree): Buffer {
  return Buffer.concat([Buffer.from(tree.path('rest/')), Buffer.from([0xff, 0xfe])]);
}

/** Replaces the first digit of a manifest. It belongs to the first file. */
function otherDigit(manifest: string): string {
  return (manifest.startsWith('a') ? 'b' : 'a') + manifest.slice(1);
}

function link(tree: DamagedTree, target: string, file: string): void {
  tree.write(file, 'to be replaced');
  tree.remove(file);
  symlinkSync(target, tree.path(file));
}

/** The superuser can read files without permissions, but not the memory of a process at address zero. */
function unreadable(tree: DamagedTree): void {
  if (process.getuid?.() === 0) link(tree, '/proc/self/mem', MIDDLE);
  else chmodSync(tree.path(MIDDLE), 0);
}
