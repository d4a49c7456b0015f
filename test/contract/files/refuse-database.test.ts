import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseDatabase } from '../../../src/contract/files/refuse-database.ts';
import { temporaryFolder } from '../../support/folder.ts';

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
