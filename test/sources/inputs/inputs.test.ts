import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainCommand } from '../../../src/sources/hint-command.ts';
import { decode } from '../../../src/sources/inputs/file-values.ts';
import { inputsOf } from '../../../src/sources/inputs/inputs.ts';
import type { Input } from '../../../src/sources/source.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function* nothing() {}

/** Creates a folder with the given files. The content of each is its own path. */
function folderWith(...paths: readonly string[]): string {
  const folder = temporaryFolder();
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  return folder;
}

function namesIn(folder: string): string[] {
  return inputsOf([folder], nothing()).map((input) => input.name.slice(folder.length + 1));
}

async function readAll(input: Input | undefined): Promise<void> {
  if (input !== undefined) for await (const _ of decode(input, { verb: 'import', command: plainCommand }));
}

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('inputsOf', () => {
  it('returns the files of a folder in the order of their names, without hidden files', () => {
    expect(namesIn(folderWith('b/2.json', 'a.json', 'b/1.json.gz', '.git/config', 'b/.DS_Store'))).toEqual([
      'a.json',
      'b/1.json.gz',
      'b/2.json',
    ]);
  });

  it('returns only the pages of a built tree', () => {
    expect(namesIn(folderWith('build.json', 'manifest-sha256.txt', 'rest/data/index.json'))).toEqual(['rest/data/index.json']);
  });

  it('returns each file once if a symlink forms a cycle', () => {
    const folder = folderWith('pages/1.json');
    symlinkSync(folder, join(folder, 'pages', 'loop'));
    expect(namesIn(folder)).toEqual(['pages/1.json']);
  });

  it('ignores an empty folder beside files', () => {
    const folder = folderWith('1.json');
    mkdirSync(join(folder, 'empty'));
    expect(namesIn(folder)).toEqual(['1.json']);
  });

  it('returns the size of each file, for progress', () => {
    expect(inputsOf([join(folderWith('abc'), 'abc'), '-'], nothing())).toMatchObject([
      { size: 3 },
      { name: 'standard input', size: undefined },
    ]);
  });

  it.each(['missing', 'empty'])('rejects a path that is %s', (name) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'empty'));
    const failure = failureOf(() => inputsOf([join(folder, name)], nothing()));
    expect(failure).toMatchObject({ code: 'no-source', place: { file: join(folder, name) } });
  });

  it('skips pipes and sockets in a folder, because reading them would block', () => {
    const folder = folderWith('1.json');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(namesIn(folder)).toEqual(['1.json']);
  });

  it('returns an input that fails for a symlink in a folder that points to itself or to a missing file', async () => {
    for (const target of ['loop', 'missing']) {
      const folder = folderWith('1.json', 'z.json');
      symlinkSync(target, join(folder, 'loop'));
      const inputs = inputsOf([folder], nothing());
      expect(inputs).toHaveLength(3);
      await expect(readAll(inputs[1])).rejects.toMatchObject({ code: 'no-source', place: { file: join(folder, 'loop') } });
    }
  });

  it('rejects a file that disappears before it is read, with one error', async () => {
    const folder = folderWith('1.json');
    const [input] = inputsOf([folder], nothing());
    rmSync(join(folder, '1.json'));
    await expect(readAll(input)).rejects.toMatchObject({ code: 'bad-source', place: { file: join(folder, '1.json') } });
  });
});
