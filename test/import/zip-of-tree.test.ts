import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForFile, SAMPLE, treeOf } from '../archive/archived.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { zipOf } from '../verify/damaged-zip.ts';
import { buildArgs, differences } from '../whole/trees.ts';

let out: string;
beforeAll(async () => {
  out = await treeOf(folderForFile(), SAMPLE, ['--html']);
});

/** Imports a source into a new store. Returns the summary, and the files of the tree that a build makes of the store. */
async function imported(source: string) {
  const [store, copy] = [join(temporaryFolder(), 'copy.db'), join(temporaryFolder(), 'copy')];
  const { records, accounts, rejected, conflicts } = await palimpsestJson(['import', source, '--store', store, '--require-complete']);
  await palimpsestJson(buildArgs(store, copy, ['--html']));
  return { summary: { records, accounts, rejected, conflicts }, copy };
}

describe('import of the ZIP of a tree', () => {
  it('gives the store that an import of its folder gives', async () => {
    const [fromFolder, fromZip] = [await imported(out), await imported(zipOf(out, join(temporaryFolder(), 'history.zip')))];
    expect(fromZip.summary).toEqual(fromFolder.summary);
    for (const { copy } of [fromFolder, fromZip]) expect(differences(filesIn(copy), filesIn(out))).toEqual([]);
  });

  it('reads only its pages, also with more members than a 16-bit number counts', async () => {
    const more = Object.fromEntries(Array.from({ length: 66_000 }, (_, index) => [`browse/more/${index}.html`, '{']));
    const zip = zipOf(out, join(temporaryFolder(), 'history.zip'), { more });
    // the locator of ZIP64
    expect(readFileSync(zip).subarray(-42, -38).toString('latin1')).toBe('PK\u0006\u0007');
    const { copy } = await imported(zip);
    expect(differences(filesIn(copy), filesIn(out))).toEqual([]);
  });
});
