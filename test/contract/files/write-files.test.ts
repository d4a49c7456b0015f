import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { draftOf, unwritable } from '../../../src/contract/files/draft-file.ts';
import { writeFiles } from '../../../src/contract/files/write-files.ts';
import { temporaryFolder } from '../../support/folder.ts';

const write = (path: string, text: string, option?: string) => writeFiles([{ path, content: [text] }], undefined, option);

it('a file is written to the target of a symlink, also if it does not exist yet, but a symlink loop is refused', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'other'));
  const links = { link: 'other/chain', 'other/chain': 'file', 'other/circle': '../circle', circle: 'other/circle' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
  for (const text of ['first', 'second']) {
    await write(join(folder, 'link'), text);
    expect(readdirSync(join(folder, 'other'))).toEqual(['chain', 'circle', 'file']);
    expect(['link', 'other/file'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([text, text]);
  }
  await expect(write(join(folder, 'circle'), 'x')).rejects.toThrow(expect.objectContaining({ code: 'file-system' }));
});

it('a failed write leaves no file, and does not follow a symlink at the path of its draft', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'x.json');
  mkdirSync(path);
  const failure = { code: 'file-system', place: { file: path }, found: 'something that is not a file' };
  await expect(write(path, 'x', '--receipt')).rejects.toThrow(
    expect.objectContaining({ ...failure, hint: expect.stringContaining('--receipt') }),
  );
  await expect(write(join(path, 'none/x.json'), 'x')).rejects.toThrow(
    expect.objectContaining({ found: expect.stringContaining('ENOENT') }),
  );
  expect([readdirSync(folder), readdirSync(path)]).toEqual([['x.json'], []]);
  symlinkSync(join(folder, 'victim'), draftOf(join(folder, 'y.json')));
  writeFileSync(join(folder, 'victim'), 'stays');
  await expect(write(join(folder, 'y.json'), 'x')).rejects.toThrow(expect.objectContaining({ found: expect.stringContaining('EEXIST') }));
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('stays');
  expect(unwritable(path, 'full').hint).toContain('--to');
});
