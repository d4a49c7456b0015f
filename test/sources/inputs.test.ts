import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inputsOf } from '../../src/sources/inputs.ts';
import { temporaryFolder } from '../support/folder.ts';

async function* nothing() {}

/** A folder with the given files, each with its own path as its text. */
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

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('the inputs that a path names', () => {
  it('are a folder’s files in the order of their names, without the hidden ones', () => {
    expect(namesIn(folderWith('b/2.json', 'a.json', 'b/1.json.gz', '.git/config', 'b/.DS_Store'))).toEqual([
      'a.json',
      'b/1.json.gz',
      'b/2.json',
    ]);
  });

  it('are of a built tree only its pages', () => {
    expect(namesIn(folderWith('build.json', 'manifest-sha256.txt', 'rest/data/index.json'))).toEqual(['rest/data/index.json']);
  });

  it('are found once, whatever links lead back', () => {
    const folder = folderWith('pages/1.json');
    symlinkSync(folder, join(folder, 'pages', 'loop'));
    expect(namesIn(folder)).toEqual(['pages/1.json']);
  });

  it('may lie beside folders that are empty', () => {
    const folder = folderWith('1.json');
    mkdirSync(join(folder, 'empty'));
    expect(namesIn(folder)).toEqual(['1.json']);
  });

  it('know their size, for progress', () => {
    expect(inputsOf([join(folderWith('abc'), 'abc'), '-'], nothing())).toMatchObject([
      { size: 3 },
      { name: 'standard input', size: undefined },
    ]);
  });

  it.each(['missing', 'empty'])('are refused where the path is %s', (name) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'empty'));
    const failure = failureOf(() => inputsOf([join(folder, name)], nothing()));
    expect(failure).toMatchObject({ code: 'no-source', place: { file: join(folder, name) } });
  });
});
