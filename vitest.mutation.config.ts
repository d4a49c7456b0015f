import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the fastest files first: the run of a mutant ends with the first test that notices it. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toReversed();
  }
}

const { MUTATION_TESTS: tests = '' } = process.env;

/** The tests that `stryker.config.mjs` names, on the source itself: they do not run the compiled program. */
export default defineConfig({
  test: {
    include: tests.split(' '),
    // hosts run compiled modules, and tests of speed take too long
    exclude: ['test/rewrite/{hosts,limits}.test.ts', 'test/diff/speed.test.ts'],
    setupFiles: ['test/support/short-properties.ts'],
    provide: { proof: '' },
    isolate: false,
    sequence: { sequencer: FastestFirst },
    testTimeout: 60_000,
  },
});
