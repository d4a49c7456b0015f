import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BufferedFile, readFully } from '../../../src/contract/files/file-bytes.ts';
import { temporaryFolder } from '../../support/folder.ts';

const BUFFER = 2 ** 18;

it('a file has all bytes in their order, whatever their amounts, and replaced ones at their place', () => {
  const path = join(temporaryFolder(), 'file');
  const descriptor = openSync(path, 'w+');
  const file = new BufferedFile(descriptor);
  const pieces = [10, BUFFER - 10, 1, BUFFER, BUFFER - 1, 2, 3 * BUFFER, 0, 5].map((size, index) => Buffer.alloc(size, String(index)));
  file.write(Buffer.from('head'));
  expect([file.length, fstatSync(descriptor).size]).toEqual([4, 0]);
  for (const piece of pieces) file.write(piece);
  file.replace(Buffer.from('EA'), 1);
  file.write(Buffer.from('tail'));
  file.flush();
  file.flush();
  const all = Buffer.concat([Buffer.from('hEAd'), ...pieces, Buffer.from('tail')]);
  expect(readFileSync(path).equals(all)).toBe(true);
  expect(file.length).toBe(all.length);
  const end = Buffer.alloc(10, '-');
  expect([readFully(descriptor, end.subarray(0, 4), 0), readFully(descriptor, end.subarray(4), all.length - 3)]).toEqual([4, 3]);
  expect([end.toString('utf8', 0, 4), end.toString('utf8', 4)]).toEqual(['hEAd', 'ail---']);
  closeSync(descriptor);
});
