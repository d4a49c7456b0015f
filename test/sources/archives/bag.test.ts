import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBag } from '../../../src/sources/archives/bag.ts';

describe('checkBag', () => {
  let bag: string;
  let outside: string;
  beforeEach(() => {
    bag = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
    outside = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
    const page = '{"results":[]}';
    mkdirSync(join(bag, 'data/rest/data'), { recursive: true });
    writeFileSync(join(bag, 'data/rest/data/index.json'), page);
    writeFileSync(join(outside, 'index.json'), page);
    writeFileSync(join(bag, 'bagit.txt'), 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
    const digest = createHash('sha256').update(page).digest('hex');
    writeFileSync(join(bag, 'manifest-sha256.txt'), `${digest}  data/rest/data/index.json\n`);
  });
  afterEach(() => {
    for (const folder of [bag, outside]) rmSync(folder, { recursive: true, force: true });
  });

  it('accepts files in folders', async () => {
    await expect(checkBag(bag)).resolves.toBeUndefined();
  });

  it.each<readonly [string, () => string]>([
    ['the folder that contains it', () => '.'],
    ['the bag', () => bag],
    ['another folder', () => outside],
    ['nothing', () => 'missing'],
    ['a file', () => 'index.json'],
  ])('refuses a link to %s', async (_, target) => {
    symlinkSync(target(), join(bag, 'data/rest/data/link'));
    await expect(checkBag(bag)).rejects.toMatchObject({
      code: 'bad-archive',
      expected: 'only files and folders',
      found: 'data/rest/data/link, a link or something else',
    });
  });

  it('does not follow links that form two circles', async () => {
    // a walk that follows them visits 2 ** 40 folders, until the system refuses the 41st link
    for (const name of ['one', 'two']) symlinkSync('.', join(bag, 'data', name));
    await expect(checkBag(bag)).rejects.toMatchObject({ code: 'bad-archive', expected: 'only files and folders' });
  });
});
