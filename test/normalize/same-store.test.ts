import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeAccounts } from '../../src/store/exclusions/remove.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generatedRun, generatedSnapshot } from '../support/generated-snapshots.ts';
import { inputsFrom, observeInParts, observeSerially, type RunResult } from '../support/parts.ts';
import { isFull, times } from '../support/proof.ts';
import type { Snapshot } from '../support/snapshots.ts';
import { allRows } from '../support/store-rows.ts';

/** How many histories are generated. */
const RUNS = { numRuns: times('generated histories', 8, 500) };
const DATA = fileURLToPath(new URL('../../../shared/data', import.meta.url));

/** Fields that a part must keep, beside those of the generated snapshots. */
const details = fc.record({
  microsecond: fc.constantFrom('', '.000001', '.5'),
  website: fc.constantFrom(undefined, '', null, 'https://a.example'),
  profile_image_url: fc.constantFrom(undefined, '', 'https://images.example/1'),
  account_creation_date: fc.constantFrom(undefined, null, '2010-11-29T21:18:15Z'),
  web_archive_url: fc.constantFrom(undefined, null, '', 'https://archive.example/2'),
  former_names: fc.constantFrom(undefined, undefined, [], ['old'], ['ann', 'bob']),
});
const detailed = fc.tuple(generatedSnapshot, details).map(([snapshot, { microsecond, ...more }]): Snapshot => {
  return { ...snapshot, ...more, observed_at: String(snapshot['observed_at']).replace('.000Z', `${microsecond}Z`) };
});
const detailedRun = fc.array(fc.array(fc.oneof(detailed, generatedSnapshot), { minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 6,
});
/** The same few profiles again and again. */
const repeatedRun = fc
  .tuple(fc.array(detailed, { minLength: 1, maxLength: 3 }), detailedRun)
  .map(([few, lists]) => lists.map((list) => list.map(({ observed_at }, index) => ({ ...few[index % few.length], observed_at }))));

/** A run in which every item is rejected writes no part. */
const mixedRun = generatedRun.filter((lists) => lists.flat().some((value) => typeof value !== 'string'));

const history = fc.record({
  runs: fc.array(fc.oneof(mixedRun, detailedRun, repeatedRun), { minLength: 1, maxLength: 2 }),
  parts: fc.integer({ min: 1, max: 4 }),
  isRemoved: fc.boolean(),
});

/** Removes an account whose handle, id and former handle occur in the histories. */
async function removeAnn(store: string): Promise<void> {
  await observeSerially(store, inputsFrom([[{ observed_at: '2019-01-01T00:00:00Z', screen_name: 'ann', id: '1', bio: 'one' }]]));
  await removeAccounts(store, ['ann'], { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false });
}

/** A result without the files and lines, which are those of the parts. */
function withoutPlaces({ summary, rejects }: RunResult): unknown {
  return JSON.parse(
    JSON.stringify({ summary, rejects: rejects.map(({ place, ...reject }) => reject) }, (key, value) =>
      key === 'file' || key === 'line' ? undefined : value,
    ),
  );
}

/** The lines of real snapshots, dealt to nine inputs: each has all times and accounts. */
function dealt(folder: string, files: number): ReturnType<typeof inputsFrom> {
  const names = readdirSync(join(DATA, folder)).toSorted().slice(0, files);
  const lines = names.flatMap((name) =>
    readFileSync(join(DATA, folder, name), 'utf8')
      .trim()
      .split('\n'),
  );
  return inputsFrom(Array.from({ length: 9 }, (_, input) => lines.filter((_line, index) => index % 9 === input)));
}

describe('parts that were normalized apart', () => {
  it('give the rows, the summary and the rejects of a serial run, also over an existing store and with a removed account', async () => {
    const seen = { excluded: 0, conflicts: 0, rejected: 0, renamed: 0 };
    await fc.assert(
      fc.asyncProperty(history, async ({ runs, parts, isRemoved }) => {
        const folder = temporaryFolder();
        const [serial, inParts] = [join(folder, 'serial.db'), join(folder, 'parts.db')];
        if (isRemoved) for (const store of [serial, inParts]) await removeAnn(store);
        for (const [number, lists] of runs.entries()) {
          const expected = await observeSerially(serial, inputsFrom(lists));
          const found = await observeInParts(inParts, inputsFrom(lists), parts, join(folder, `run ${number}`));
          // an item that is not valid can name a removed account: normalize knows no store
          const { excluded } = expected.summary;
          if (!isRemoved) expect(withoutPlaces(found)).toEqual(withoutPlaces(expected));
          expect(allRows(inParts)).toEqual(allRows(serial));
          seen.excluded += excluded;
          seen.conflicts += expected.summary.conflicts.count;
          seen.rejected += expected.summary.rejected;
          seen.renamed += expected.summary.accounts.renamed;
        }
      }),
      RUNS,
    );
    // a few random histories may lack one of them
    if (isFull) expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });

  it.for([
    ['congress-2017', 1],
    ['uk-mps', 6],
  ] as const)('give the store of a serial run with the real snapshots of %s, byte for byte', async ([data, files], { skip }) => {
    skip(!isFull, 'only PALIMPSEST_PROOF=full reads them');
    skip(!existsSync(DATA), 'the folder ../shared/data is missing');
    const folder = temporaryFolder();
    const serial = join(folder, 'serial.db');
    const expected = await observeSerially(serial, dealt(data, files));
    expect(expected.summary.snapshots).toBeGreaterThan(1000);
    for (const parts of [1, 4]) {
      const store = join(folder, `${parts}.db`);
      expect(withoutPlaces(await observeInParts(store, dealt(data, files), parts, join(folder, `run ${parts}`)))).toEqual(
        withoutPlaces(expected),
      );
      expect(readFileSync(store).equals(readFileSync(serial)), `${parts} parts`).toBe(true);
    }
  });
});
