/** Fast tests of other folders that use what the other modules share. */
const USES = [
  'archive/draft-file',
  'browse/change-notes',
  'diff/diff-html',
  'observe/field-changes',
  'store/accounts/newest-values',
  'tree/tree-files',
  'zip/member',
];

/** What is changed, one thing at a time, and the tests that must notice it. */
const MODULES = {
  contract: ['src/contract/**/*.ts', `test/{contract/**/*,${USES.join(',')}}.test.ts`],
  diff: ['src/diff/*.ts', 'test/diff/*.test.ts'],
  pages: ['src/pages/*.ts', 'test/pages/*.test.ts'],
  // not the configurations in src/rewrite/hosts: only the hosts themselves prove them
  rewrite: ['src/rewrite/*.ts', 'test/rewrite/*.test.ts'],
  publish: ['src/publish/planning/*.ts', 'test/publish/planning/*.test.ts'],
  // what a mirror reads next, which items are gone, and what it lacks at the end
  mirror: [
    'src/mirror/{completeness,gone-from-service,walk/*}.ts',
    'test/mirror/{completeness,gone-from-service,plan-stages,walk/*}.test.ts',
  ],
};
const { MODULE: name = 'all' } = process.env;
const chosen = name === 'all' ? Object.values(MODULES) : [MODULES[name]];

// not `testFiles`: with it, Stryker changes nothing that runs when a file is loaded
process.env.MUTATION_TESTS = chosen.map(([, tests]) => tests).join(' ');

export default {
  mutate: chosen.map(([source]) => source),
  testRunner: 'vitest',
  // the tests of a module are named already
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  reporters: ['clear-text', 'progress-append-only', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  htmlReporter: { fileName: `coverage/mutation/${name}.html` },
  // keeps the results of what runs when a file is loaded until that file changes, also if tests change; --force tests all again
  incremental: true,
  incrementalFile: `coverage/mutation/${name}.json`,
  tempDirName: `coverage/mutation/${name}-sandbox`,
  ignorePatterns: ['coverage', 'dist', 'out', 'data/*.db*'],
  // Vitest removes the types; TypeScript 7 has no interface to read its configuration
  disableTypeChecks: false,
  tsconfigFile: 'none',
  concurrency: 1,
  thresholds: { high: 95, low: 90, break: 90 },
};
