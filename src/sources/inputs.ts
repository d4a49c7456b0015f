import { createReadStream, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Input } from './source.ts';

/** How many bytes of a file are read at once. */
const CHUNK_BYTES = 1 << 18;

/**
 * Returns the inputs that the paths name. `-` is standard input. Folders are read recursively in the order of
 * their names.
 * Hidden files, pipes, sockets and devices in a folder are skipped. Of a built tree only the pages are read, of a bag only
 * the payload.
 * @throws Failure no-source if a path does not exist, cannot be read, or is a folder without files
 */
export function inputsOf(paths: readonly string[], stdin: AsyncIterable<Uint8Array>): Input[] {
  const inputs: Input[] = [];
  if (paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new Failure('usage', 'standard input can be read only once', {
      expected: 'at most one -',
      found: 'several',
      hint: 'remove the others',
    });
  }
  for (const path of paths) {
    const before = inputs.length;
    if (path === '-') inputs.push({ name: 'standard input', size: undefined, open: () => stdin });
    else addInputs(path, inputs, new Set());
    if (inputs.length === before) throw emptyFolder(path);
  }
  return inputs;
}

/**
 * @param walked the folders visited so far, because a symlink may form a cycle
 * @param bag the bag that the path is in
 */
function addInputs(path: string, inputs: Input[], walked: Set<string>, bag?: string): void {
  const status = wrapErrors(path, () => statSync(path));
  // a pipe may be named directly, but reading a pipe found in a folder would block
  if (!status.isFile() && !status.isDirectory() && walked.size > 0) return;
  if (!status.isDirectory()) {
    const size = status.isFile() ? status.size : undefined;
    const open = () => createReadStream(path, { highWaterMark: CHUNK_BYTES });
    inputs.push({ name: path, size, open, ...(bag === undefined ? {} : { bag }) });
    return;
  }
  const folder = wrapErrors(path, () => realpathSync(path));
  if (walked.has(folder)) return;
  walked.add(folder);
  const names = wrapErrors(path, () => readdirSync(path));
  const all = new Set(names);
  const isTree = all.has('build.json') && all.has('rest');
  const isBag = all.has('bagit.txt') && all.has('data');
  const only = isTree ? ['rest'] : isBag ? ['data'] : undefined;
  const visible = only ?? names.filter((name) => !name.startsWith('.') && !isVariant(name, all)).sort();
  for (const name of visible) addInputs(join(path, name), inputs, walked, isBag ? path : bag);
}

/** Whether a file is the compressed copy of a page. */
function isVariant(name: string, names: ReadonlySet<string>): boolean {
  return (name === 'index.json.gz' || name === 'index.json.br') && names.has('index.json');
}

/** @throws Failure no-source instead of the error of the file system */
function wrapErrors<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (cause) {
    throw new Failure('no-source', `cannot read ${path}`, {
      place: { file: path },
      expected: 'a file or folder that can be read, or - for standard input',
      found: cause instanceof Error ? cause.message : 'nothing',
      hint: 'check the path and its permissions',
      cause,
    });
  }
}

function emptyFolder(path: string): Failure {
  return new Failure('no-source', `the folder ${path} contains no files`, {
    place: { file: path },
    expected: 'saved pages, NDJSON or JSON arrays',
    found: 'an empty folder',
    hint: 'name the folder that contains the files',
  });
}
