import { afterAll, inject, type RunnerTestCase, type RunnerTestSuite } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The variable PALIMPSEST_PROOF: `one`, `full`, or '' for a usual run. */
    proof: string;
  }
}

/** Whether this run proves as much as it can, with PALIMPSEST_PROOF=full. */
export const isFull: boolean = inject('proof') === 'full';
/** Whether a test with processes runs one case of each property, as in `npm test`; `one-case.ts` skips the others. */
export const isOne: boolean = inject('proof') === 'one';

/** Returns how often a property is tried: `quick` times, or `full` times in a full run, which prints that at the end of the file. */
export function times(what: string, quick: number, full: number): number {
  if (!isFull) return quick;
  // biome-ignore lint/correctness/noEmptyPattern: Vitest refuses other patterns
  afterAll(({}, file) => console.log(`proof: ${full} ${what} instead of ${quick}; ${results(file)}`));
  return full;
}

/** The same for what needs a process each time: one time if the run tries one case of each property. */
export function timesInProcess(what: string, quick: number, full: number): number {
  return isOne ? 1 : times(what, quick, full);
}

/** Returns what a test with processes tries one after the other: the first if the run tries one case of each property. */
export function cases<Case>(all: readonly Case[]): readonly Case[] {
  return isOne ? all.slice(0, 1) : all;
}

function results(file: RunnerTestSuite): string {
  const tests = file.tasks.flatMap(function inside(task): RunnerTestCase[] {
    return task.type === 'suite' ? task.tasks.flatMap(inside) : [task];
  });
  const count = (state: string) => tests.filter(({ mode, result }) => (result?.state ?? mode) === state).length;
  return `${count('pass')} tests passed, ${count('fail')} failed, ${count('skip')} were skipped`;
}
