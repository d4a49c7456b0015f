import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachLimit } from '../../src/storage/concurrency-limit.ts';

const size = fc.integer({ min: 1, max: 8 });
/** How many turns of the event loop the work for each item takes. */
const pieces = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 });

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

describe('forEachLimit', () => {
  it('processes each item once, starts in order, and uses the full concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, size, async (lengths, most) => {
        const begun: number[] = [];
        let [underWay, peak, ended] = [0, 0, 0];
        await forEachLimit(lengths.entries(), most, async ([index, length]) => {
          begun.push(index);
          underWay += 1;
          peak = Math.max(peak, underWay);
          await turns(length + 1);
          underWay -= 1;
          ended += 1;
        });
        expect(begun).toEqual([...lengths.keys()]);
        expect(ended).toBe(lengths.length);
        expect(peak).toBe(Math.min(most, lengths.length));
      }),
    );
  });

  it('takes items from an infinite list only when it can process them', async () => {
    let taken = 0;
    function* endless() {
      for (;;) {
        taken += 1;
        yield taken;
      }
    }
    await expect(
      forEachLimit(endless(), 4, async (number) => {
        await turn();
        if (number === 10) throw new Error('enough');
      }),
    ).rejects.toThrow('enough');
    // each worker has one item in progress and may have taken the next one
    expect(taken).toBeLessThanOrEqual(10 + 2 * 4);
  });

  it('starts nothing after an error, waits for items in progress, and throws the first error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 }),
        size,
        fc.nat(),
        async (lengths, most, at) => {
          const bad = at % lengths.length;
          const errors: Error[] = [];
          let [begun, ended, late] = [0, 0, 0];
          let isKnown = false;
          const work = async ([index, length]: readonly [number, number]) => {
            begun += 1;
            if (isKnown) late += 1;
            await turns(length);
            ended += 1;
            if (index < bad) return;
            errors.push(new Error('bad'));
            // an item that starts in the same turn cannot know about the error
            void turn().then(() => {
              isKnown = true;
            });
            throw errors.at(-1);
          };
          const thrown: unknown = await forEachLimit(lengths.entries(), most, work).catch((caught: unknown) => caught);
          expect(thrown).toBe(errors[0]);
          expect(late).toBe(0);
          expect(ended).toBe(begun);
          expect(begun).toBeLessThanOrEqual(bad + most);
        },
      ),
    );
  });
});
