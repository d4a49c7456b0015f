import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CEPH, ceph, type Store, startCeph } from '../publish/stores.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { sources } from './sources.ts';

describe.skipIf(ceph.skip)('normalize with an s3:// address', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startCeph();
  }, 120_000);
  afterAll(() => store.stop());

  it('gives the store of observe, also if a part is written twice at once, and observe names a missing part', {
    timeout: 120_000,
  }, async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    const [serial, inParts] = [join(folder, 'serial.db'), join(folder, 'store.db')];
    const { PALIMPSEST_ENDPOINT: endpoint = '', ...keys } = CEPH.env(store.endpoint);
    const options = { env: { ...keys, TMPDIR: folder } };
    await palimpsestJson(['observe', source, '--store', serial]);
    const part = (number: number) =>
      palimpsest(
        ['normalize', source, '--shard', `${number}/2`, '--to', `s3://history/run/part-${number}.ndjson.gz`, '--endpoint', endpoint],
        options,
      );
    const observe = () => palimpsest(['observe', 's3://history/run', '--store', inParts, '--endpoint', endpoint], options);
    const first = await part(1);
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('observe s3://history/run/')]);
    const missing = await observe();
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no part 0')]);
    for (const { code, stderr } of await Promise.all([part(0), part(0), part(1)])) expect(code, stderr).toBe(0);
    expect(await observe()).toMatchObject({ code: 0 });
    expect(readFileSync(inParts).equals(readFileSync(serial))).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(['serial.db', 'store.db']);
  });

  it('refuses wrong credentials', { timeout: 60_000 }, async () => {
    const env = { ...CEPH.env(store.endpoint), AWS_SECRET_ACCESS_KEY: 'wrong' };
    const denied = await palimpsestHere(['normalize', sources(temporaryFolder()), '--to', 's3://history/run/part.ndjson', '--json'], {
      env,
    });
    expect([denied.code, JSON.parse(denied.stdout).error.code]).toEqual([1, 'target-denied']);
  });
});
