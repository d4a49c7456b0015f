import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiledSource, programFolder } from './test/support/compiled-source.ts';
import { SlowFiles } from './test/support/slow-files.ts';

const program = programFolder();
const { PALIMPSEST_PROOF: proof = '' } = process.env;

/**
 * The projects, those with the longest files first. `servers`: hosts, object stores, Django REST Framework, Slurm, browsers.
 * `system`: processes, signals, kills, mounts, other users. `core`: all else, in one process.
 */
const PROJECTS = ['servers', 'system', 'core'];

function project(name: string): TestProjectInlineConfiguration {
  const others = PROJECTS.filter((other) => other !== name).map((other) => `test/**/*.${other}.test.ts`);
  const isOneCase = proof === 'one' && name === 'system';
  return {
    extends: true,
    test: {
      name,
      include: [name === 'core' ? 'test/**/*.test.ts' : `test/**/*.${name}.test.ts`],
      exclude: others,
      ...(isOneCase ? { setupFiles: ['test/support/one-case.ts'], includeTaskLocation: true } : {}),
    },
  };
}

/** The files that take more than a minute. */
const LONGEST = ['conformance/hosts-simulators', 'whole/kill', 'versions/stores', 'docs/cluster', 'conformance/hosts'];

/** Starts the longest files first: one that starts last would run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.includes(`/test/${name}`));
    const rank = (file: TestSpecification) => PROJECTS.indexOf(file.project.name) - (isLong(file) ? PROJECTS.length : 0);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  plugins: [compiledSource(program)],
  test: {
    projects: PROJECTS.map(project),
    reporters: ['default', new SlowFiles()],
    setupFiles: ['test/support/environment.ts', 'test/support/equality.ts', 'test/support/properties.ts'],
    globalSetup: ['test/support/compiled-source.ts'],
    provide: { program, proof },
    // palimpsest would warn of a variable that it does not know
    env: { PALIMPSEST_PROOF: '' },
    // the compiled program is loaded unchanged
    server: { deps: { external: [/\/\.cache\/palimpsest\//] } },
    // after a change of src, the program of the run would be the one of before
    watch: false,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: proof === 'full' ? 3_600_000 : 180_000,
    hookTimeout: 240_000,
  },
});
