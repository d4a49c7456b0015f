import { hash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import { folderFiles } from '../../src/tree/tree-files.ts';
import { packMember } from '../../src/zip/member.ts';
import type { IndexPlace } from '../../src/zip/zip-index.ts';
import { ZipReader } from '../../src/zip/zip-reader.ts';
import { ZipWriter } from '../../src/zip/zip-writer.ts';
import { addBrowseFiles } from '../conformance/browse-files.ts';
import { buildTree, goodHistory, importHistory } from '../verify/good-tree.ts';
import { folderOfFile } from '../whole/stores.ts';

/** Writes the ZIP of a tree, without compressed copies. */
export function zipTree(tree: string, zip: string): void {
  mkdirSync(dirname(zip), { recursive: true });
  const file = openSync(zip, 'w');
  const writer = new ZipWriter(file, `${zip}.directory`);
  const files = folderFiles(tree);
  for (const path of [...files.paths()].filter((path) => !/\.(?:gz|br)$/.test(path)).toSorted()) {
    const bytes = files.read(path);
    writer.add(packMember(path, [bytes]), hash('sha256', bytes));
  }
  writer.end();
  writer.close();
  closeSync(file);
}

interface Head {
  readonly base_url: string;
  readonly versions: readonly { readonly number: number; readonly time: string; readonly file: string; readonly index: IndexPlace }[];
}

/** Publishes a tree as the next version into a folder. Returns its number. */
export function publishVersion(tree: string, target: string, time = new Date()): number {
  const before: Head = existsSync(join(target, 'head.json')) ? readHead(target) : { base_url: '', versions: [] };
  const number = (before.versions.at(-1)?.number ?? 0) + 1;
  const file = `versions/${String(number).padStart(8, '0')}-0123456789ab.zip`;
  zipTree(tree, join(target, file));
  const reader = new ZipReader(openSync(join(target, file), 'r'));
  const { index } = reader;
  reader.close();
  const { base_url } = JSON.parse(readFileSync(join(tree, 'build.json'), 'utf8'));
  writeHead(target, { base_url, versions: [...before.versions, { number, time: time.toISOString(), file, index }] });
  return number;
}

export function readHead(target: string): Head {
  return JSON.parse(readFileSync(join(target, 'head.json'), 'utf8'));
}

/** Writes `head.json` with its digest. */
export function writeHead(target: string, { base_url, versions }: Head, kind = 'site'): void {
  const text = JSON.stringify({ kind, base_url, versions }).slice(0, -1);
  writeFileSync(join(target, 'head.json'), `${text},"digest":"${hash('sha256', text)}"}\n`);
}

/**
 * Publishes two versions of a site for all tests of a file, with 30 and 60 records: on 20 and 22 November 2026, at three o'clock.
 * @returns their folder, the trees of the two versions, and the target
 */
export function siteOfFile(): { readonly folder: string; readonly trees: readonly [string, string]; readonly target: string } {
  const folder = folderOfFile();
  const [store, target] = [join(folder, 'store.db'), join(folder, 'target')];
  const trees = [join(folder, 'one'), join(folder, 'two')] as const;
  beforeAll(async () => {
    for (const [index, tree] of trees.entries()) {
      await importHistory(store, goodHistory(30 + 30 * index));
      await buildTree(store, tree);
      addBrowseFiles(tree);
      publishVersion(tree, target, new Date(Date.UTC(2026, 10, 20 + 2 * index, 3)));
    }
  });
  return { folder, trees, target };
}
