import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { observeInputs } from '../../src/observe/observe.ts';
import type { InputError } from '../../src/sources/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generatedRun } from '../support/generated-snapshots.ts';
import { times } from '../support/proof.ts';
import { sourceOf } from '../support/snapshots.ts';
import { allRows } from '../support/store-rows.ts';

type Run = typeof generatedRun extends fc.Arbitrary<infer R> ? R : never;

/** Observes two runs into a new store, with a number of UTF-16 units for the accounts in memory. */
async function results(cacheUnits: number | undefined, runs: readonly Run[]) {
  const store = join(temporaryFolder(), 'store.db');
  const rejects: InputError[] = [];
  const summaries: object[] = [];
  for (const inputs of runs) {
    const sources = inputs.map((values, index) => sourceOf(values, `input ${index}`));
    const snapshots = { from: undefined, observedAt: undefined, unescape: false };
    const onReject = (error: InputError) => void rejects.push(error);
    summaries.push(await observeInputs(store, sources, { snapshots, network: TWITTER, onReject, cacheUnits }));
  }
  return { summaries, rejects, rows: allRows(store) };
}

describe('observe with accounts that do not fit in memory', () => {
  it('writes the same rows, summaries and rejects as with all accounts in memory', async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, generatedRun, async (first, second) => {
        expect(await results(1, [first, second])).toEqual(await results(undefined, [first, second]));
      }),
      { numRuns: times('generated histories', 6, 300) },
    );
  });
});
