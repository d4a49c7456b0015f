import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SAMPLE, treeOf } from '../archive/archived.ts';
import { zipOf } from '../support/archives.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { zipOf as zipOfTree } from '../verify/damaged-zip.ts';
import { folderOfFile } from '../whole/stores.ts';
import { buildArgs, differences } from '../whole/trees.ts';

const folder = folderOfFile();

it('an import of the ZIP of a tree gives the store that an import of its folder gives, also with the records of ZIP64', async () => {
  const out = await treeOf(folder, SAMPLE, ['--html']);
  const zip64 = join(temporaryFolder(), 'zip64.zip');
  const { 'rest/data/index.json': first = '', ...others } = Object.fromEntries(filesIn(out));
  writeFileSync(zip64, await zipOf({ 'rest/data/index.json': first, ...others }, { forceZip64Format: true }));
  const summaries = new Set<string>();
  for (const source of [out, zipOfTree(out, join(temporaryFolder(), 'history.zip'), { more: { 'browse/more.html': '{' } }), zip64]) {
    const [store, copy] = [join(temporaryFolder(), 'copy.db'), join(temporaryFolder(), 'copy')];
    const imported = await palimpsestJson(['import', source, '--store', store, '--require-complete']);
    const { records_by_outcome: records, accounts_by_outcome: accounts, rejected, conflicts } = imported;
    summaries.add(JSON.stringify({ records, accounts, rejected, conflicts }));
    await palimpsestJson(buildArgs(store, copy, ['--html']));
    expect(differences(filesIn(copy), filesIn(out))).toEqual([]);
  }
  expect(summaries.size).toBe(1);
});
