import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Hint } from '../contract/hint.ts';
import { isObject } from '../contract/json.ts';
import { readBuildRecord } from './build-record.ts';
import { CHUNKS, hasOnlyChunks } from './chunk-files.ts';
import { readRegularFile } from './regular-file.ts';

/** The file of the composed layout that names the present state. */
export const HEAD = 'head.json';

/** How the files of a tree are arranged. */
export type Layout = 'static' | 'composed';

/** Returns the layout of the tree in a folder; undefined if the folder has no tree. The tree may be unfinished or damaged. */
export function foundLayout(out: string): Layout | undefined {
  const record = readBuildRecord(out);
  if (record !== 'none' && record !== 'foreign') return 'static';
  return isHead(join(out, HEAD)) || isWithoutHead(out) ? 'composed' : undefined;
}

/** Chooses a layout: the given one, otherwise that of the tree in the folder, otherwise the static one. */
export function chooseLayout(out: string, given: Layout | undefined): Layout {
  return given ?? foundLayout(out) ?? 'static';
}

function isHead(path: string): boolean {
  const head = jsonIn(path);
  return isObject(head) && typeof head['palimpsest'] === 'string' && head['layout'] === 'composed';
}

/** Whether a folder has a composed tree whose first build was killed, or whose head is no JSON. Hidden files may be beside it. */
function isWithoutHead(out: string): boolean {
  try {
    const others = readdirSync(out, { withFileTypes: true }).filter(({ name }) => name !== CHUNKS && !name.startsWith('.'));
    const areOurs = others.every((file) => file.name === HEAD && file.isFile() && jsonIn(join(out, HEAD)) === undefined);
    return areOurs && hasOnlyChunks(out);
  } catch {
    return false;
  }
}

/** Returns the value in a file; undefined if it is no JSON or cannot be read. */
function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readRegularFile(path).toString());
  } catch {
    return undefined;
  }
}

/**
 * Refuses a tree of another layout.
 * @param hint what to do instead
 * @throws Failure other-layout
 */
export function refuseOtherLayout(out: string, wanted: Layout, hint: Hint): void {
  const found = foundLayout(out);
  if (found === undefined || found === wanted) return;
  throw new Failure('other-layout', `the tree in ${out} has the ${found} layout`, {
    place: { file: out },
    expected: `no tree, or one with the ${wanted} layout`,
    found: `a tree with the ${found} layout`,
    hint,
  });
}
