import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Input } from './source.ts';

/**
 * The inputs that paths name: files as they are, folders walked in the order of their names
 * (hidden files and pipes left out; of a built tree only its pages), `-` for standard input.
 * @throws Failure no-source where a path leads nowhere or a folder holds no file
 */
export async function inputsOf(paths: readonly string[], stdin: AsyncIterable<Uint8Array>): Promise<Input[]> {
  const inputs: Input[] = [];
  if (paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new Failure('usage', 'standard input can be read only once', {
      expected: 'one - at the most',
      found: 'more',
      hint: 'leave the others out',
    });
  }
  for (const path of paths) {
    if (path === '-') inputs.push({ name: 'standard input', size: undefined, open: () => stdin });
    else inputs.push(...orRefuse(path, await inputsAt(path, new Set())));
  }
  return inputs;
}

/** @param walked the folders that have been entered: a link may lead back to one */
async function inputsAt(path: string, walked: Set<string>): Promise<Input[]> {
  const status = await stat(path).catch((cause: unknown) => {
    throw new Failure('no-source', `cannot read ${path}`, {
      place: { file: path },
      expected: 'a file, a folder, or - for standard input',
      found: cause instanceof Error ? cause.message : 'nothing',
      hint: 'check the path',
      cause,
    });
  });
  // a pipe may be named, but one that lies in a folder would be waited for
  if (!status.isFile() && !status.isDirectory() && walked.size > 0) return [];
  if (!status.isDirectory()) {
    const size = status.isFile() ? status.size : undefined;
    return [{ name: path, size, open: () => createReadStream(path) }];
  }
  const folder = await realpath(path);
  if (walked.has(folder)) return [];
  walked.add(folder);
  const names = await readdir(path);
  const isTree = names.includes('build.json') && names.includes('rest');
  const visible = isTree ? ['rest'] : names.filter((name) => !name.startsWith('.') && !isVariant(name, names)).sort();
  return (await Promise.all(visible.map((name) => inputsAt(join(path, name), walked)))).flat();
}

/** Whether a file is a page of a tree once more, compressed. */
function isVariant(name: string, names: readonly string[]): boolean {
  return (name === 'index.json.gz' || name === 'index.json.br') && names.includes('index.json');
}

function orRefuse(path: string, inputs: Input[]): Input[] {
  if (inputs.length > 0) return inputs;
  throw new Failure('no-source', `the folder ${path} holds no file`, {
    place: { file: path },
    expected: 'saved pages, NDJSON or JSON arrays',
    found: 'an empty folder',
    hint: 'name the folder that holds the files',
  });
}
