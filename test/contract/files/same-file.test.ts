import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { isSameFile, statusOf } from '../../../src/contract/files/same-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

it('two paths refer to one file also through links, and if it does not exist yet', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  for (const name of ['a', 'b']) writeFileSync(at(name), 'same');
  mkdirSync(at('folder'));
  linkSync(at('a'), at('hard'));
  symlinkSync('a', at('soft'));
  for (const name of ['hard', 'soft', 'folder/../a']) expect(isSameFile(at('a'), `${folder}/${name}`), name).toBe(true);
  expect(isSameFile(at('new'), relative('.', at('new')))).toBe(true);
  for (const name of ['b', 'folder', 'new'])
    expect([isSameFile(at('a'), at(name)), isSameFile(at(name), at('a'))], name).toEqual([false, false]);
  expect(isSameFile(at('new'), at('newer'))).toBe(false);
  symlinkSync('circle', at('circle'));
  expect(['new', 'a/new', 'circle'].map((name) => statusOf(at(name)))).toEqual([undefined, undefined, undefined]);
});
