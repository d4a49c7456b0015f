import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { draftOf } from '../../../src/contract/files/draft-file.ts';
import { refuseDatabase, refuseOtherContent } from '../../../src/contract/files/refuse-output.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DRAFT = basename(draftOf('a.csv'));
const otherIn = (names: readonly string[]) => names.find((name) => !name.endsWith('.csv'));

it.each([
  ['no folder', undefined, undefined],
  ['an empty folder', [], undefined],
  ['an earlier result', ['a.csv', 'b.csv'], undefined],
  ['an earlier result and a draft', [DRAFT, 'a.csv'], undefined],
  ['other files', [DRAFT, 'a.csv', 'z.txt', 'b.txt'], 'a folder that contains b.txt'],
  ['a file', 'text', 'a file'],
] as const)('a result can be in place of %s, or the refusal says what is there', (_, content, found) => {
  const folder = join(temporaryFolder(), 'result');
  if (content === 'text') writeFileSync(folder, content);
  else if (content !== undefined) mkdirSync(folder);
  if (Array.isArray(content)) for (const name of content) writeFileSync(join(folder, name), '');
  const refuse = () => refuseOtherContent(folder, otherIn);
  if (found === undefined) return expect(refuse).not.toThrow();
  expect(refuse).toThrow(expect.objectContaining({ code: 'not-ours', place: { file: folder }, found }));
});

it('an empty folder is not asked for its names', () => {
  expect(() => refuseOtherContent(temporaryFolder(), () => 'a name')).not.toThrow();
});

it.each([
  ['db', 'db'],
  ['new', undefined],
  ['text', undefined],
  ['short', undefined],
  ['folder', undefined],
  ...['db-wal', 'db-shm', 'db-journal'].map((name) => [name, 'db'] as const),
  ['db-wal-2', undefined],
  ['db-wall', undefined],
  ['text-wal', undefined],
  ['new-wal', undefined],
] as const)('an output in place of %s would damage the database %s', (name, database) => {
  const folder = temporaryFolder();
  const files = { db: `SQLite format 3\0${' '.repeat(84)}`, text: `SQLite format 4\0${' '.repeat(84)}`, short: 'SQLite' };
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  mkdirSync(join(folder, 'folder'));
  const refuse = () => refuseDatabase(join(folder, name));
  if (database === undefined) return expect(refuse).not.toThrow();
  const found = name === database ? 'an SQLite database' : `a file of the database ${join(folder, database)}`;
  expect(refuse).toThrow(expect.objectContaining({ code: 'not-ours', place: { file: join(folder, basename(name)) }, found }));
});
