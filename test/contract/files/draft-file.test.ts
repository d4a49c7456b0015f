import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { draftOf, draftsIn, hasOtherWriter } from '../../../src/contract/files/draft-file.ts';
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
