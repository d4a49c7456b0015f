import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiledSource, programFolder } from './test/support/compiled-source.ts';
import { SlowFiles } from './test/support/slow-files.ts';

/** The files that take longest, longest first. If one of them started last, it would run alone at the end. */
const LONGEST = [
  'conformance/hosts',
  'publish/publish',
  'publish/race',
  'publish/faults',
  'whole/faults',
  'backup/versions',
  'backup/faults',
  'verify/damage',
  'publish/movement',
  'browse/hostile',
  'docs/slurm',
  'whole/streams',
  'backup/race',
  'tree/browse',
  'whole/interrupt',
  'whole/special-files',
  'whole/kill',
  'whole/hostile-paths',
  'conformance/rapid-builds',
  'docs/nightly',
  'whole/concurrency',
  'whole/reader',
  'publish/state/lease',
  'publish/state/lost-answers',
];

/** Starts the longest files first. Vitest knows the durations of an earlier run only, and a fresh checkout has none. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const program = programFolder();

export default defineConfig({
  plugins: [compiledSource(program)],
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', new SlowFiles()],
    setupFiles: ['test/support/equality.ts', 'test/support/properties.ts'],
    // two cores: some files wait for servers and timeouts for most of their time
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/compiled-source.ts'],
    provide: { program },
    // the compiled program is loaded unchanged
    server: { deps: { external: [/\/\.cache\/palimpsest\//] } },
    // after a change of src, the program of the run would be the one of before
    watch: false,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});
