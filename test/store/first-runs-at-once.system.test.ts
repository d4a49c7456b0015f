import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';

/** How many pairs of first imports run at the same time. */
const PAIRS = timesInProcess('pairs of first imports', 2, 20);

it('a first run that fails does not remove the store of another run that succeeds at the same time', async () => {
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const cwd = temporaryFolder();
    const run = (input: string) => palimpsest(['import', '-', '--store', 'store.db'], { cwd, input });
    const [, good] = await Promise.all([run('{"id":"x"}\n'), run(JSON.stringify(bioRecord(1)))]);
    if (good.code === 0) {
      const store = Store.open(join(cwd, 'store.db'));
      expect(store.revision.records).toBe(1);
      store.close();
    } else expect(good.stderr).toContain('(store-busy)');
  }
});
