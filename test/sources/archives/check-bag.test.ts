import { hash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkBag } from '../../../src/sources/archives/check-bag.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Returns a bag with one page. */
function newBag(): string {
  const bag = temporaryFolder();
  const page = '{"results":[]}';
  mkdirSync(join(bag, 'data/rest/data'), { recursive: true });
  writeFileSync(join(bag, 'data/rest/data/index.json'), page);
  writeFileSync(join(bag, 'bagit.txt'), 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
  writeFileSync(join(bag, 'manifest-sha256.txt'), `${hash('sha256', page)}  data/rest/data/index.json\n`);
  return bag;
}

describe('checkBag', () => {
  it('accepts files in folders', async () => {
    await expect(checkBag(newBag())).resolves.toBeUndefined();
  });

  it('accepts more tag files, with and without a line in a tag manifest, but no line with another digest', async () => {
    const bag = newBag();
    mkdirSync(join(bag, 'metadata'));
    for (const name of ['README.txt', 'metadata/notes.xml', 'metadata/other.xml']) writeFileSync(join(bag, name), 'text');
    const lines = ['README.txt', 'metadata/notes.xml'].map((name) => `${hash('sha256', 'text')}  ${name}\n`);
    writeFileSync(join(bag, 'tagmanifest-sha256.txt'), lines.join(''));
    await expect(checkBag(bag)).resolves.toBeUndefined();
    writeFileSync(join(bag, 'metadata/notes.xml'), 'changed');
    await expect(checkBag(bag)).rejects.toMatchObject({ code: 'bad-archive', expected: expect.stringContaining('metadata/notes.xml') });
  });

  it('refuses identities that no tag manifest lists', async () => {
    const bag = newBag();
    writeFileSync(join(bag, 'identities.ndjson'), '{}');
    await expect(checkBag(bag)).rejects.toMatchObject({ code: 'bad-archive', expected: expect.stringContaining('identities.ndjson') });
  });

  it.each([
    ['the folder that contains it', () => '.'],
    ['the bag', (bag: string) => bag],
    ['another folder', temporaryFolder],
    ['nothing', () => 'missing'],
    ['a file', () => 'index.json'],
  ])('refuses a link to %s', async (_, target) => {
    const bag = newBag();
    symlinkSync(target(bag), join(bag, 'data/rest/data/link'));
    await expect(checkBag(bag)).rejects.toMatchObject({
      code: 'bad-archive',
      expected: 'only files and folders',
      found: 'data/rest/data/link, a link or something else',
    });
  });

  it('does not follow links that form two circles', async () => {
    const bag = newBag();
    // a walk that follows them visits 2 ** 40 folders, until the system refuses the 41st link
    for (const name of ['one', 'two']) symlinkSync('.', join(bag, 'data', name));
    await expect(checkBag(bag)).rejects.toMatchObject({ code: 'bad-archive', expected: 'only files and folders' });
  });
});
