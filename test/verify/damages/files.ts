import { chmodSync, mkdirSync, rmdirSync, symlinkSync } from 'node:fs';
import type { DamagedTree } from '../damaged-tree.ts';
import { encode } from '../damaged-tree.ts';
import { BRACKETS, type Damage, GARBAGE } from './damage.ts';

const BUILD = 'build.json';
const MANIFEST = 'manifest-sha256.txt';

/** Damages outside of the contents of pages: the build record, the manifest, and missing, changed or unexpected files. */
export const FILE_DAMAGES: readonly Damage[] = [
  ...buildRecord('is empty', (tree) => tree.write(BUILD, '')),
  ...buildRecord('is binary garbage', (tree) => tree.write(BUILD, GARBAGE)),
  ...buildRecord('is cut short', (tree) => tree.write(BUILD, tree.text(BUILD).slice(0, -20))),
  ...buildRecord('is that of another program', (tree) => tree.write(BUILD, '{"name":"site","version":"1.0.0"}')),
  ...buildRecord('is null', (tree) => tree.write(BUILD, 'null')),
  ...buildRecord('is a list of itself', (tree) => tree.write(BUILD, `[${tree.text(BUILD)}]`)),
  ...buildRecord('is deeply nested', (tree) => tree.write(BUILD, '['.repeat(BRACKETS))),
  ...buildRecord('is unfinished', (tree) => tree.write(BUILD, '{"palimpsest":"0.1.0","state":"unfinished"}')),
  ...buildRecord('lacks a field', (tree) => tree.editBuild({ page_size: undefined })),
  ...buildRecord('has an unknown field', (tree) => tree.editBuild({ pages: 9 })),
  ...buildRecord('has a number as text', (tree) => tree.editBuild({ records: '60' })),
  ...buildRecord('has a negative number', (tree) => tree.editBuild({ data_pages: -1 })),
  ...buildRecord('has page sizes of zero', (tree) => tree.editBuild({ page_size: 0, account_page_size: 0 })),
  ...buildRecord('has more pages than any disk can store', (tree) => tree.editBuild({ data_pages: Number.MAX_SAFE_INTEGER })),
  ...buildRecord('has more pages than any disk can store, and as many accounts', (tree) =>
    tree.editBuild({ account_page_size: 1, accounts: Number.MAX_SAFE_INTEGER, account_pages: Number.MAX_SAFE_INTEGER }),
  ),
  ...buildRecord('has zero pages, so that no page is checked', (tree) => {
    for (const collection of ['data', 'account'] as const) {
      tree.remove(`rest/${collection}`);
      for (const file of [`rest/${collection}/index.json`, `rest/${collection}/page/last/index.json`]) tree.write(file, GARBAGE);
    }
    tree.editBuild({ records: 0, accounts: 0, data_pages: 0, account_pages: 0 });
  }).map((damage) => ({ ...damage, deep: true })),

  {
    name: 'the manifest is missing',
    damage: (tree) => tree.remove(MANIFEST),
    expects: 'file-missing',
    path: MANIFEST,
  },
  {
    name: 'the manifest is a folder',
    damage: (tree) => {
      tree.remove(MANIFEST);
      tree.write(`${MANIFEST}/file`, '');
    },
    expects: 'file-missing',
    path: MANIFEST,
    also: ['unexpected-file'],
  },
  {
    name: 'the manifest is empty',
    damage: (tree) => tree.write(MANIFEST, ''),
    expects: 'manifest-digest',
    path: MANIFEST,
    also: ['manifest-line'],
  },
  {
    name: 'a digit of the manifest is changed',
    damage: (tree) => tree.write(MANIFEST, otherDigit(tree.text(MANIFEST))),
    expects: 'manifest-digest',
    path: MANIFEST,
    also: ['file-digest'],
  },
  {
    name: 'build.json names another manifest',
    damage: (tree) => tree.editBuild({ manifest: '0'.repeat(64) }),
    expects: 'manifest-digest',
    path: MANIFEST,
    mentions: `SHA-256 ${'0'.repeat(64)}`,
  },
  ...manifestLines('is empty and build.json has its digest', () => '', 'a line for rest/data/index.json'),
  ...manifestLines('is binary garbage', () => GARBAGE, 'a line for rest/data/index.json'),
  ...manifestLines('has CRLF', (text) => text.replaceAll('\n', '\r\n'), 'line 1: an invalid line'),
  ...manifestLines('begins with a byte order mark', (text) => `\ufeff${text}`, 'line 1: an invalid line'),
  ...manifestLines('has every line twice', (text) => text.replace(/.+\n/g, '$&$&'), 'line 2: rest/data/index.json'),
  ...manifestLines('lacks a line', (text) => text.replace(/.+page\/4\/index.json\n/, ''), 'a line for rest/data/page/4/index.json'),
  ...manifestLines(
    'has digests in capitals',
    (text) => text.toUpperCase().replaceAll(/\S+$/gm, (path) => path.toLowerCase()),
    'line 1: an invalid line',
  ),
  ...manifestLines('has one space', (text) => text.replaceAll('  ', ' '), 'line 1: an invalid line'),
  ...manifestLines('has an empty line', (text) => `${text}\n`, 'line 18: an invalid line'),
  ...manifestLines('has digests of zeros', (text) => text.replace(/^\w+/, '0'.repeat(64)), 'a line for rest/data/index.json'),
  ...['../secret', '/etc/passwd', 'rest/data/page/01/index.json', 'rest/data/page/10/index.json', 'rest/data/page/0/index.json'].flatMap(
    (path) => manifestLines(`lists ${path}`, (text) => `${text}${'a'.repeat(64)}  ${path}\n`, `line 18: ${path}`),
  ),
  {
    name: 'a digit of the manifest is changed, and build.json has the digest of that manifest',
    damage: (tree) => tree.setManifest(otherDigit(tree.text(MANIFEST))),
    expects: 'file-digest',
    path: 'rest/data/index.json',
  },

  ...sortKeys('has another first record of a page', (text) => text.replace(/^(\d+) (\d+)$/m, '$11 $2')),
  ...sortKeys('lacks a page', (text) => text.replace(/^\d+ \d+\n/m, '')),
  ...sortKeys('lacks an account', (text) => text.replace(/\n"[^"]+"\n$/, '\n')),
  ...sortKeys('has an additional account', (text) => `${text}"somebody"\n`),
  ...sortKeys('has another page size', (text) => text.replace('data 7', 'data 8')),
  ...sortKeys('has other contents', () => 'hello\n'),
  {
    name: 'the file of sort keys is missing',
    damage: (tree) => tree.remove('sort-keys.txt'),
    expects: 'file-missing',
    path: 'sort-keys.txt',
  },
  {
    name: 'the file of sort keys has other bytes',
    damage: (tree) => tree.write('sort-keys.txt', `${tree.text('sort-keys.txt')}7\n`),
    expects: 'file-digest',
    path: 'sort-keys.txt',
  },

  {
    name: 'a page in the middle is missing',
    damage: (tree) => tree.remove('rest/data/page/5/index.json'),
    expects: 'file-missing',
    path: 'rest/data/page/5/index.json',
    also: ['account-data-surplus'],
  },
  {
    name: 'the second file of the last page is missing',
    damage: (tree) => tree.remove('rest/account/page/last/index.json'),
    expects: 'file-missing',
    path: 'rest/account/page/last/index.json',
  },
  {
    name: 'the index file of a collection is missing',
    damage: (tree) => tree.remove('rest/account/index.json'),
    expects: 'file-missing',
    path: 'rest/account/index.json',
    also: ['account-data-missing'],
  },
  {
    name: 'all pages are missing',
    damage: (tree) => tree.remove('rest'),
    expects: 'file-missing',
    path: 'rest/account/page/3/index.json',
  },
  {
    name: 'a file is at the path of the pages',
    damage: (tree) => {
      tree.remove('rest');
      tree.write('rest', 'nothing');
    },
    expects: 'file-missing',
    path: 'rest/data/index.json',
    also: ['unexpected-file'],
  },
  {
    name: 'a folder is at the path of a page',
    damage: (tree) => {
      tree.remove('rest/data/page/5/index.json');
      mkdirSync(tree.path('rest/data/page/5/index.json'));
    },
    expects: 'file-missing',
    path: 'rest/data/page/5/index.json',
    also: ['account-data-surplus'],
  },
  {
    name: 'a page is a symbolic link to itself',
    damage: (tree) => link(tree, 'index.json', 'rest/data/page/5/index.json'),
    expects: 'file-missing',
    path: 'rest/data/page/5/index.json',
    also: ['account-data-surplus'],
  },
  {
    name: 'a page cannot be read',
    damage: unreadable,
    expects: 'file-missing',
    path: 'rest/data/page/5/index.json',
    also: ['account-data-surplus'],
  },
  {
    name: 'one character of a page is changed',
    damage: (tree) => tree.editText('account', 3, (text) => text.replace('I am zoe', 'I am Zoe')),
    expects: 'file-digest',
    path: 'rest/account/page/3/index.json',
  },
  {
    name: 'the second file of a page is older than the first',
    damage: (tree) => tree.write('rest/data/page/1/index.json', tree.text('rest/data/index.json').replace('"count":60', '"count":59')),
    expects: 'file-digest',
    path: 'rest/data/page/1/index.json',
    also: ['duplicate-mismatch'],
  },
  {
    name: 'a page of an earlier, longer tree still exists',
    damage: (tree) => tree.write('rest/data/page/10/index.json', tree.text('rest/data/page/9/index.json')),
    expects: 'unexpected-file',
    path: 'rest/data/page/10/index.json',
  },
  ...[
    'notes.txt',
    'rest/index.json',
    'rest/data/.hidden',
    'rest/data/page/01/index.json',
    'rest/data/page/1/index.json.gz',
    'rest/other/index.json',
  ].map((path): Damage => ({ name: `${path} exists`, damage: (tree) => tree.write(path, 'x'), expects: 'unexpected-file', path })),
  {
    name: 'a folder is a symbolic link to its parent',
    damage: (tree) => link(tree, '..', 'rest/data/page/around'),
    expects: 'unexpected-file',
    path: 'rest/data/page/around',
  },
  {
    name: 'a file is inside 400 nested folders',
    damage: (tree) => tree.write(`rest/${'d/'.repeat(400)}file`, 'x'),
    expects: 'unexpected-file',
    path: `rest/${'d/'.repeat(400)}file`,
  },
  ...(process.platform === 'linux'
    ? [
        {
          name: 'a folder has a name that is not UTF-8',
          damage: (tree: DamagedTree) => {
            mkdirSync(noUtf8(tree));
            tree.write('rest/notes.txt', 'x');
          },
          after: (tree: DamagedTree) => rmdirSync(noUtf8(tree)),
          expects: 'unexpected-file',
          path: 'rest/notes.txt',
        } as const,
      ]
    : []),
];

function buildRecord(what: string, damage: Damage['damage']): Damage[] {
  return [{ name: `build.json ${what}`, damage, expects: 'build-record', path: BUILD }];
}

function noUtf8(tree: DamagedTree): Buffer {
  return Buffer.concat([Buffer.from(tree.path('rest/')), Buffer.from([0xff, 0xfe])]);
}

/** Changes the sort keys. The manifest and build.json have their digests. */
function sortKeys(what: string, edit: (text: string) => string): Damage[] {
  const damage = (tree: DamagedTree) => tree.setSortKeys(edit(tree.text('sort-keys.txt')));
  return [{ name: `sort-keys.txt ${what}`, damage, expects: 'sort-keys', path: 'sort-keys.txt' }];
}

/** Changes the manifest. build.json has its digest, so that only the lines are wrong. */
function manifestLines(what: string, edit: (text: string) => string | Uint8Array, mentions: string): Damage[] {
  const damage = (tree: DamagedTree) => tree.setManifest(edit(tree.text(MANIFEST)));
  return [{ name: `the manifest ${what}`, damage, expects: 'manifest-line', path: MANIFEST, mentions }];
}

/** Replaces the first digit of a manifest. It belongs to the first file. */
function otherDigit(manifest: string): string {
  return (manifest.startsWith('a') ? 'b' : 'a') + manifest.slice(1);
}

function link(tree: DamagedTree, target: string, file: string): void {
  tree.write(file, encode('to be replaced'));
  tree.remove(file);
  symlinkSync(target, tree.path(file));
}

/** The superuser can read files without permissions, but not the memory of a process at address zero. */
function unreadable(tree: DamagedTree): void {
  if (process.getuid?.() === 0) link(tree, '/proc/self/mem', 'rest/data/page/5/index.json');
  else chmodSync(tree.path('rest/data/page/5/index.json'), 0);
}
