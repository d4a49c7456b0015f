import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { generatedRun } from '../support/generated-snapshots.ts';
import { inputsFrom, observeSerially } from '../support/parts.ts';
import { times } from '../support/proof.ts';
import { allRows } from '../support/store-rows.ts';

it('observe writes the same rows, summaries and rejects if the accounts do not fit in memory', async () => {
  const runs = fc.array(generatedRun, { minLength: 2, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(runs, async (all) => {
      const results = async (cacheUnits: number | undefined) => {
        const store = join(temporaryFolder(), 'store.db');
        const found: unknown[] = [];
        for (const lists of all) found.push(await observeSerially(store, inputsFrom(lists), { cacheUnits }));
        return [...found, allRows(store)];
      };
      expect(await results(1)).toEqual(await results(undefined));
    }),
    { numRuns: times('generated histories', 6, 300) },
  );
});
