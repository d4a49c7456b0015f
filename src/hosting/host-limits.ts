import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, fileSystemFailure } from '../contract/failure.ts';
import type { Host } from '../rewrite/hosts/host.ts';
import { folderFiles } from '../tree/tree-files.ts';

/** The size of a tree, to compare with the limits of a host. */
interface TreeSize {
  readonly files: number;
  readonly largest: { readonly path: string; readonly bytes: number };
}

/**
 * Counts the files of a tree in a folder. Hidden ones are not published and not counted.
 * @throws Failure file-system if a folder cannot be read
 */
export function treeSizeOf(out: string): TreeSize {
  const tree = folderFiles(out);
  let files = 0;
  let largest = { path: '', bytes: 0 };
  for (const path of tree.paths()) {
    if (path.includes('/.')) continue;
    const [bytes, place] = [tree.size(path), join(out, path)];
    if (bytes === undefined && lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) {
      const [expected, hint] = ['a readable folder', 'check the permissions of the folder'];
      throw fileSystemFailure('a folder that cannot be opened', place, { expected, hint }, `cannot read ${place}`);
    }
    if (bytes === undefined) continue;
    files += 1;
    if (bytes > largest.bytes) largest = { path, bytes };
  }
  return { files, largest };
}

/**
 * Checks that a tree is within the limits of a host.
 * @throws Failure host-limit
 */
export function checkLimits({ title, limits = {} }: Pick<Host, 'title' | 'limits'>, tree: string, { files, largest }: TreeSize): void {
  const { files: maxFiles = Number.POSITIVE_INFINITY, fileBytes = Number.POSITIVE_INFINITY, source } = limits;
  const exceeds = (path: string, expected: string, found: string, hint: string) =>
    new Failure('host-limit', `the tree in ${tree} exceeds a limit of ${title}`, {
      place: { file: join(tree, path) },
      expected,
      found,
      hint,
    });
  const text = (value: number) => value.toLocaleString('en-US');
  if (files > maxFiles) {
    const hint = 'build with larger pages or without --compress, or choose another host';
    throw exceeds('', `at most ${text(maxFiles)} files (${source})`, `${text(files)} files`, hint);
  }
  if (largest.bytes > fileBytes) {
    const hint = 'build with smaller pages, or choose another host';
    throw exceeds(largest.path, `at most ${text(fileBytes)} bytes per file (${source})`, `${text(largest.bytes)} bytes`, hint);
  }
}
