import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { draftOf, draftsIn, hasOtherWriter, unwritable, writeWhole } from '../../../src/contract/files/draft.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** The id of a process that has ended. */
const ENDED = spawnSync(process.execPath, ['--version']).pid;

/** Returns the name that the draft of a file has in another process. */
const nameIn = (path: string, pid: number | string) => basename(draftOf(path)).replace(/\d+\.draft$/, `${pid}.draft`);

it('the draft of a file is hidden beside it, and names the file and the program', () => {
  const folder = temporaryFolder();
  expect(draftOf(join(folder, 'x.ndjson'))).toMatch(/\/\.x\.ndjson\.palimpsest-[0-9a-f]{8}-\d+\.draft$/);
  expect(readdirSync(folder)).toEqual([]);
});

it('a draft removes those of the same file that ended processes of this machine left, and no other', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'x.ndjson');
  const left = nameIn(path, ENDED);
  const stay = [
    nameIn(path, process.ppid),
    nameIn(join(folder, 'y.ndjson'), ENDED),
    left.replace(/palimpsest-[0-9a-f]{8}/, 'palimpsest-00000000'),
    `${left}.mine`,
    `a${left}`,
    'x.ndjson.32543.draft',
  ];
  for (const name of [left, ...stay]) writeFileSync(join(folder, name), 'a removed text');
  expect(draftsIn(folder).map(({ isLeft }) => isLeft)).toHaveLength(4);
  draftOf(path);
  expect(readdirSync(folder).toSorted()).toEqual(stay.toSorted());
});

it.each([
  ['x.ndjson', process.ppid, true],
  ['x.ndjson', ENDED, false],
  ['x.ndjson', process.pid, false],
  ['y.ndjson', process.ppid, false],
])('a draft of %s in the process %i means that another process writes x.ndjson: %s', (name, pid, isWritten) => {
  const folder = temporaryFolder();
  const draft = draftOf(join(folder, 'x.ndjson'));
  const other = nameIn(join(folder, name), pid);
  for (const path of [draft, join(folder, other)]) writeFileSync(path, '');
  expect(hasOtherWriter(draft)).toBe(isWritten);
  renameSync(join(folder, other), join(folder, other.replace(/palimpsest-[0-9a-f]{8}/, 'palimpsest-00000000')));
  expect(hasOtherWriter(draft)).toBe(false);
});

it('the draft of a folder is removed with its files', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'bag');
  const left = join(folder, nameIn(path, ENDED));
  mkdirSync(join(left, 'data'), { recursive: true });
  writeFileSync(join(left, 'data/1'), 'a removed text');
  draftOf(path);
  expect(readdirSync(folder)).toEqual([]);
  renameSync(folder, `${folder}-moved`);
  expect(draftsIn(folder)).toEqual([]);
  renameSync(`${folder}-moved`, folder);
});

it('a short text is written to the file behind a link, also if there is none yet, but not to a circle of links', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'other'));
  const links = { link: 'other/chain', 'other/chain': 'file', 'other/circle': '../circle', circle: 'other/circle' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
  for (const text of ['first', 'second']) {
    writeWhole(join(folder, 'link'), text, '--to');
    expect(readdirSync(join(folder, 'other'))).toEqual(['chain', 'circle', 'file']);
    expect(['link', 'other/file'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([text, text]);
  }
  expect(() => writeWhole(join(folder, 'circle'), 'x', '--to')).toThrow(expect.objectContaining({ code: 'file-system' }));
});

it('a text that cannot be written leaves nothing, and is not written through a link in place of its draft', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'x.json');
  mkdirSync(path);
  const failure = { code: 'file-system', place: { file: path }, found: expect.stringContaining('EISDIR') };
  expect(() => writeWhole(path, 'x', '--receipt')).toThrow(
    expect.objectContaining({ ...failure, hint: expect.stringContaining('--receipt') }),
  );
  expect(() => writeWhole(join(path, 'none/x.json'), 'x', '--to')).toThrow(
    expect.objectContaining({ found: expect.stringContaining('ENOENT') }),
  );
  expect([readdirSync(folder), readdirSync(path)]).toEqual([['x.json'], []]);
  symlinkSync(join(folder, 'victim'), draftOf(join(folder, 'y.json')));
  writeFileSync(join(folder, 'victim'), 'stays');
  expect(() => writeWhole(join(folder, 'y.json'), 'x', '--to')).toThrow(
    expect.objectContaining({ found: expect.stringContaining('EEXIST') }),
  );
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('stays');
  expect(unwritable(path, 'full').hint).toContain('--to');
});
