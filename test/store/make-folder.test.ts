import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mkdirp } from '../../src/store/mkdirp.ts';
import { temporaryFolder } from '../support/folder.ts';

describe('makeFolder', () => {
  it('makes a folder and those around it, and is content with one that is there', () => {
    const path = join(temporaryFolder(), 'a/b/c');
    mkdirp(path);
    mkdirp(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('refuses a place inside a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => mkdirp(join(file, 'a'))).toThrow(/ENOTDIR|EEXIST/);
  });

  it.skipIf(!existsSync('/proc/self'))('comes back from a file system that makes no folders', () => {
    expect(() => mkdirp('/proc/palimpsest/a')).toThrow(/ENOENT/);
  });
});
