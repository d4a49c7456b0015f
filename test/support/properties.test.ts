import fc from 'fast-check';
import { expect, it } from 'vitest';

const FOREVER_MS = 20_000;

/** A number from which every smaller one can be made smaller again. */
class Endless extends fc.Arbitrary<number> {
  override generate(): fc.Value<number> {
    return new fc.Value(1, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is number {
    return typeof value === 'number';
  }

  override shrink(value: number): fc.Stream<fc.Value<number>> {
    return fc.stream([new fc.Value(value / 2, undefined)].values());
  }
}

it.each([
  ['that never waits', async () => {}],
  ['that waits', () => new Promise(setImmediate)],
])('a property %s fails before the limit of its test, although its input can always be smaller', { timeout: 2000 }, async (_, wait) => {
  const started = performance.now();
  const fails = async () => {
    await wait();
    if (performance.now() - started < FOREVER_MS) throw new Error('too small');
  };
  const { failed, interrupted } = await fc.check(fc.asyncProperty(new Endless(), fails));
  expect({ failed, interrupted }).toEqual({ failed: true, interrupted: true });
});
