import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mkdirp } from '../../src/contract/files/mkdirp.ts';
import { temporaryFolder } from '../support/folder.ts';

describe('mkdirp', () => {
  it('creates a folder with its parents, and accepts an existing folder', () => {
    const path = join(temporaryFolder(), 'a/b/c');
    mkdirp(path);
    mkdirp(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('fails for a path inside a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => mkdirp(join(file, 'a'))).toThrow(/ENOTDIR|EEXIST/);
  });

  it.skipIf(!existsSync('/proc/self'))('fails on a file system that cannot create folders, and does not hang', () => {
    expect(() => mkdirp('/proc/palimpsest/a')).toThrow(/ENOENT/);
  });
});
