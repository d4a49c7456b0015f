import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/sources/decode.ts';
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

const DIST = new URL('../../dist/sources/inputs.js', import.meta.url).href;

/** How many inputs a folder has, or the failure, as another process finds it. */
function inAnotherProcess(
  folder: string,
  flags: readonly string[],
  options: { readonly uid?: number; readonly gid?: number } = {},
): unknown {
  const script = `
    import { inputsOf } from ${JSON.stringify(DIST)};
    try {
      console.log(JSON.stringify({ inputs: inputsOf([${JSON.stringify(folder)}], []).length }));
    } catch ({ message, code, place }) {
      console.log(JSON.stringify({ message, code, place }));
    }`;
  const args = [...flags, '--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', ...options }));
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

  it('are as many as there are, even if that is more than a call takes arguments', () => {
    const folder = folderWith('0');
    // a second name is made faster than a second file
    for (let index = 1; index < 20_000; index += 1) linkSync(join(folder, '0'), join(folder, String(index)));
    // a small stack takes fewer arguments, so that fewer files show it
    expect(inAnotherProcess(folder, ['--stack-size=120'])).toEqual({ inputs: 20_000 });
  }, 60_000);

  it.skipIf(process.platform === 'win32')('leave out pipes and sockets that lie in a folder, which would be waited for', () => {
    const folder = folderWith('1.json');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(namesIn(folder)).toEqual(['1.json']);
  });

  it('are refused where a link in a folder leads to itself, or nowhere', () => {
    for (const target of ['loop', 'missing']) {
      const folder = folderWith('1.json');
      symlinkSync(target, join(folder, 'loop'));
      expect(failureOf(() => inputsOf([folder], nothing()))).toMatchObject({ code: 'no-source', place: { file: join(folder, 'loop') } });
    }
  });

  it('are refused where a path is too long', () => {
    const path = `${'x'.repeat(200)}/`.repeat(30);
    expect(failureOf(() => inputsOf([path], nothing()))).toMatchObject({ code: 'no-source', place: { file: path } });
  });

  it.skipIf(process.platform === 'win32')('are refused with one error where a folder cannot be read', () => {
    const folder = folderWith('a/1.json', 'b/2.json');
    chmodSync(join(folder, 'b'), 0o000);
    chmodSync(folder, 0o755);
    // root reads every folder, so that the program runs as somebody else
    const isRoot = process.getuid?.() === 0;
    const found = inAnotherProcess(folder, [], isRoot ? { uid: 65_534, gid: 65_534 } : {});
    chmodSync(join(folder, 'b'), 0o755);
    expect(found).toMatchObject({ code: 'no-source', place: { file: join(folder, 'b') } });
  });

  it('are refused with one error where a file is gone when it is read', async () => {
    const folder = folderWith('1.json');
    const [input] = inputsOf([folder], nothing());
    rmSync(join(folder, '1.json'));
    const read = async () => {
      if (input !== undefined) for await (const _ of decode(input));
    };
    await expect(read()).rejects.toMatchObject({ code: 'bad-source', place: { file: join(folder, '1.json') } });
  });
});
