import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

const SAVED = fileURLToPath(new URL('../../../shared/data/saved-pages', import.meta.url));

describe('import and build of the saved pages of a live service', () => {
  it.skipIf(!existsSync(SAVED))('reproduces all 87 pages byte for byte (skipped without the saved pages)', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await palimpsestJson(['import', SAVED, '--store', store]);
    await palimpsestJson(['build', '--store', store, '--out', out, '--base-url', 'https://history.example']);
    let compared = 0;
    for (const collection of COLLECTIONS) {
      for (const name of readdirSync(join(SAVED, collection))) {
        const ours = readFileSync(join(out, 'rest', collection, 'page', basename(name, '.json'), 'index.json'));
        expect(ours.equals(readFileSync(join(SAVED, collection, name))), `${collection}/${name}`).toBe(true);
        compared += 1;
      }
    }
    expect(compared).toBe(87);
  });
});
