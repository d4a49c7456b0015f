import { createReadStream, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Input } from './source.ts';

/** How much of a file is read at once, in bytes. */
const PIECE = 1 << 18;

/**
 * The inputs that paths name: files as they are, folders walked in the order of their names
 * (hidden files, pipes, sockets and devices left out; of a built tree only its pages), `-` for standard input.
 * @throws Failure no-source where a path leads nowhere, cannot be read, or a folder holds no file
 */
export function inputsOf(paths: readonly string[], stdin: AsyncIterable<Uint8Array>): Input[] {
  const inputs: Input[] = [];
  if (paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new Failure('usage', 'standard input can be read only once', {
      expected: 'one - at the most',
      found: 'more',
      hint: 'leave the others out',
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

/** @param walked the folders that have been entered: a link may lead back to one */
function addInputs(path: string, inputs: Input[], walked: Set<string>): void {
  const status = orRefuse(path, () => statSync(path));
  // a pipe may be named, but one that lies in a folder would be waited for
  if (!status.isFile() && !status.isDirectory() && walked.size > 0) return;
  if (!status.isDirectory()) {
    const size = status.isFile() ? status.size : undefined;
    inputs.push({ name: path, size, open: () => createReadStream(path, { highWaterMark: PIECE }) });
    return;
  }
  const folder = orRefuse(path, () => realpathSync(path));
  if (walked.has(folder)) return;
  walked.add(folder);
  const names = orRefuse(path, () => readdirSync(path));
  const all = new Set(names);
  const isTree = all.has('build.json') && all.has('rest');
  const visible = isTree ? ['rest'] : names.filter((name) => !name.startsWith('.') && !isVariant(name, all)).sort();
  for (const name of visible) addInputs(join(path, name), inputs, walked);
}

/** Whether a file is a page of a tree once more, compressed. */
function isVariant(name: string, names: ReadonlySet<string>): boolean {
  return (name === 'index.json.gz' || name === 'index.json.br') && names.has('index.json');
}

/** @throws Failure no-source in place of the file system's error */
function orRefuse<T>(path: string, look: () => T): T {
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
  return new Failure('no-source', `the folder ${path} holds no file`, {
    place: { file: path },
    expected: 'saved pages, NDJSON or JSON arrays',
    found: 'an empty folder',
    hint: 'name the folder that holds the files',
  });
}
