import { expect, it } from 'vitest';
import { toFailure } from '../../../src/store/database/store-error.ts';

it.each([
  ['SQLITE_FULL', 'file-system', 'free some space or check the disk'],
  ['SQLITE_IOERR_WRITE', 'file-system', 'free some space or check the disk'],
  ['SQLITE_IOERR_SHMSIZE', 'file-system', 'free some space or check the disk'],
  ['SQLITE_READONLY', 'file-system', 'check the permissions'],
  ['SQLITE_BUSY', 'store-busy', 'wait until the other process has ended'],
  ['SQLITE_CORRUPT', 'bad-store', 'store check'],
  ['SQLITE_IOERR_SHORT_READ', 'bad-store', 'store check'],
])('the error %s of SQLite is the failure %s, whose hint is to %s', (code, expected, hint) => {
  const error = Object.assign(new Error('disk I/O error'), { code });
  expect(toFailure('a.db', error)).toMatchObject({ code: expected, hint: expect.stringContaining(hint), found: 'disk I/O error' });
});
