import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteText } from '../../src/browse/markup.ts';
import { accountPlace } from '../../src/browse/paths.ts';
import { importInputs } from '../../src/import/import.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import { build } from '../../src/tree/build/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { account } from '../mirror/canned-service.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { type History, histories, toNdjson } from '../support/histories.ts';
import { times } from '../support/proof.ts';
import { marksOf, touched } from '../whole/trees.ts';

const RUNS = { numRuns: times('generated histories', 3, 300) };

async function* nothing() {}

const site = { base_url: 'https://history.example', page_size: 7, account_page_size: 3 };

/** Builds a tree with HTML pages. The manifest is among its files, so their order counts too. */
async function treeOf(store: string, out: string): Promise<Map<string, Buffer>> {
  await build(store, { out, site, html: true });
  return filesIn(out);
}

/** Accounts without records, whose HTML pages are in one folder. */
const CROWD = Array.from({ length: 2000 }, (_, number) => `crowd${number}`)
  .filter((handle) => accountPlace(byteText(handle)).folder === '00')
  .map((handle) => JSON.stringify(account(handle, [])));

/** Returns a history and the crowd as lines. */
function linesOf(history: History): string[] {
  return [...toNdjson(history), ...CROWD];
}

/** Builds over a tree. It writes the files whose bytes change and no others, and counts them. */
async function rebuild(store: string, out: string): Promise<void> {
  const isThere = existsSync(out);
  const [before, marks] = isThere ? [filesIn(out), marksOf(out)] : [new Map<string, Buffer>(), new Map<string, string>()];
  const { written, unchanged, removed } = await build(store, { out, site });
  const after = filesIn(out);
  const changed = [...after].filter(([path, bytes]) => before.get(path)?.equals(bytes) !== true).map(([path]) => path);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  expect(touched(marks, marksOf(out))).toEqual(changed.toSorted());
  const pages = changed.filter((path) => path.startsWith('rest/')).length;
  const all = [...after.keys()].filter((path) => path.startsWith('rest/')).length;
  expect({ written, unchanged, removed }).toEqual({ written: pages, unchanged: all - pages, removed: gone.length });
}

/** Imports lines of a history. */
async function importLines(store: string, lines: readonly string[]): Promise<void> {
  async function* open() {
    yield Buffer.from(lines.join('\n'));
  }
  await importInputs(store, [{ name: 'lines', size: undefined, open }], { onConflict: 'fail' });
}

/** The lines of a history in random order, split into random batches. */
function shuffledBatches(history: History): fc.Arbitrary<string[][]> {
  const lines = linesOf(history);
  return fc
    .tuple(fc.shuffledSubarray(lines, { minLength: lines.length }), fc.nat({ max: lines.length }))
    .map(([shuffled, place]) => [shuffled.slice(0, place), shuffled.slice(place)].filter((batch) => batch.length > 0));
}

describe('the tree of any store', () => {
  it('has the same bytes after its pages were imported into a new store and built again', async () => {
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        run += 1;
        const at = (name: string) => join(folder, `${run}`, name);
        await importLines(at('first.db'), linesOf(history));
        const first = await treeOf(at('first.db'), at('first'));
        await importInputs(at('second.db'), inputsOf([at('first')], nothing()), { onConflict: 'fail' });
        const second = await treeOf(at('second.db'), at('second'));
        expect(second).toEqual(first);
        expect((await verify({ out: at('first'), store: at('second.db') })).violations).toEqual([]);
      }),
      RUNS,
    );
  });

  it('does not depend on the order and number of the imports, and a build writes only files whose bytes change', async () => {
    const folder = temporaryFolder();
    let run = 0;
    const cases = histories(40).chain((history) => fc.tuple(shuffledBatches(history), shuffledBatches(history)));
    await fc.assert(
      fc.asyncProperty(cases, async ([left, right]) => {
        run += 1;
        const at = (name: string) => join(folder, `${run}`, name);
        for (const batch of left) await importLines(at('left.db'), batch);
        // the right tree is built after every batch: rebuilding must give the same result as building once
        for (const batch of [...right, right[0] ?? []]) {
          await importLines(at('right.db'), batch);
          await rebuild(at('right.db'), at('right'));
        }
        expect(await treeOf(at('right.db'), at('right'))).toEqual(await treeOf(at('left.db'), at('left')));
      }),
      RUNS,
    );
  });
});
