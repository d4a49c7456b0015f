import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { readHead } from '../../src/composed/head.ts';
import { chunkPath } from '../../src/rewrite/chunks.ts';
import { respondComposed } from '../../src/rewrite/respond-composed.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { composed } from '../composed/composed-pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

const BASE = new URL(SITE.base_url).pathname;
const asked = (query = '') => ({ method: 'GET', url: `http://tree${BASE}/rest/data/${query}`, headers: { get: () => null } });

/** A tree whose first state was deleted by a removal, and the heads of both states. */
async function afterRemoval() {
  const [store, out] = [join(temporaryFolder(), 'store.db'), join(temporaryFolder(), 'out')];
  const history = goodHistory(60);
  await importHistory(store, history);
  await buildComposed(store, { out, site: SITE, time: new Date('2026-11-21T03:00:00Z') });
  const before = readHead(out);
  const account = history.records[0]?.account ?? '';
  await removeAccounts(store, [account], { now: '2026-11-22T00:00:00Z', allowUnknown: false, isDryRun: false });
  await buildComposed(store, { out, site: SITE, time: new Date('2026-11-22T03:00:00Z') });
  const read = async (hash: string) => readFileSync(join(out, chunkPath(hash)));
  return { out, read, heads: [before, readHead(out)] };
}

describe('respondComposed', () => {
  it('answers with the new state if a publish deletes the chunks of the state that the request began with', async () => {
    const { out, read, heads } = await afterRemoval();
    const present = [...heads];
    const answer = await respondComposed(asked(), BASE, async () => present.shift(), read);
    expect([answer.status, await answer.text()]).toEqual([200, await composed(out, 'rest/data/index.json')]);
    const again = [...heads];
    expect((await respondComposed(asked('?as_of=1'), BASE, async () => again.shift(), read)).status).toBe(404);
  });

  it('rejects if a chunk of the present state is missing', async () => {
    const { read, heads } = await afterRemoval();
    await expect(respondComposed(asked(), BASE, async () => heads[0], read)).rejects.toThrow('ENOENT');
  });
});
