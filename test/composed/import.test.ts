import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));

async function builtSample(): Promise<string> {
  const folder = temporaryFolder();
  await palimpsestJson(['import', SAMPLE, '--store', join(folder, 'store.db')]);
  const sizes = ['--page-size', '40', '--account-page-size', '5'];
  for (const layout of ['static', 'composed'])
    await palimpsestJson(['build', '--layout', layout, '--store', join(folder, 'store.db'), '--out', join(folder, layout), ...sizes]);
  return folder;
}

describe('import of a composed tree', () => {
  it('gives the same store as the import of the static tree', async () => {
    const folder = await builtSample();
    const [fixed, composed] = [join(folder, 'fixed.db'), join(folder, 'composed.db')];
    await palimpsestJson(['import', join(folder, 'static'), '--store', fixed, '--require-complete']);
    const second = await palimpsestJson(['import', join(folder, 'composed'), '--store', composed, '--require-complete']);
    expect(second).toMatchObject({ records: { added: 302 }, accounts: { added: 40 } });
    for (const store of [fixed, composed]) await palimpsestJson(['build', '--store', store, '--out', `${store}.out`]);
    expect(filesIn(`${composed}.out`)).toEqual(filesIn(`${fixed}.out`));
  });

  it('fails if a chunk is missing, and names it', async () => {
    const folder = await builtSample();
    const chunks = join(folder, 'composed', 'chunks');
    for (const name of readdirSync(chunks).slice(1)) rmSync(join(chunks, name), { recursive: true });
    const { code, stderr } = await palimpsest(['import', join(folder, 'composed'), '--store', join(folder, 'new.db')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/chunks\/[0-9a-f]{2}\/[0-9a-f]{62} differs from what the build wrote/);
  });
});
