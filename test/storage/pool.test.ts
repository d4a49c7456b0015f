import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachLimit } from '../../src/storage/pool.ts';

const size = fc.integer({ min: 1, max: 8 });
/** How many turns of the loop each piece of work takes. */
const pieces = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 });

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

describe('a crew', () => {
  it('does everything once, begins in order, and has as much under way as it may', async () => {
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

  it('takes no more from a list without an end than it can do', async () => {
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
    // each has one under way, and finds out with the next in its hands
    expect(taken).toBeLessThanOrEqual(10 + 2 * 4);
  });

  it('begins nothing after an error, awaits what is under way, and throws the first', async () => {
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
            // what begins in the same turn cannot know of it
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

  it('has nothing to do with an empty list', async () => {
    await forEachLimit([], 3, async () => {
      throw new Error('there is nothing to do');
    });
  });
});
