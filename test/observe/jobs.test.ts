import { openSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TWITTER } from '../../src/diff/diff-html.ts';
import type { ObserveSummary } from '../../src/observe/observe.ts';
import type { InputError } from '../../src/sources/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { generatedRun } from '../support/generated-snapshots.ts';
import { type Snapshot, sourceOf } from '../support/snapshots.ts';
import { allRows } from '../support/store-rows.ts';

// threads run the compiled program
const compiled = (module: string) => new URL(`../../dist/${module}.js`, import.meta.url).href;
const { observeInputs }: typeof import('../../src/observe/observe.ts') = await import(compiled('observe/observe'));
const { Threads }: typeof import('../../src/observe/threads.ts') = await import(compiled('observe/threads'));

/** How many sets of snapshots are generated. */
const RUNS = { numRuns: Number(process.env['PALIMPSEST_TEST_RUNS'] ?? 6) };
const SNAPSHOTS = { from: undefined, observedAt: undefined, unescape: false };

interface Result {
  readonly summaries: readonly ObserveSummary[];
  readonly rejects: readonly InputError[];
  readonly rows: readonly unknown[];
}

/** Observes some runs into a new store. Each list is one input. */
async function results(jobs: number, runs: readonly (readonly (readonly (Snapshot | string)[])[])[]): Promise<Result> {
  const store = join(temporaryFolder(), 'store.db');
  const rejects: InputError[] = [];
  const summaries: ObserveSummary[] = [];
  for (const inputs of runs) {
    const sources = inputs.map((values, index) => sourceOf(values, `input ${index}`));
    const options = { snapshots: SNAPSHOTS, network: TWITTER, onReject: (error: InputError) => void rejects.push(error) };
    summaries.push(await observeInputs(store, sources, { ...options, threads: { jobs, readAfter: 0, foldFrom: 1 } }));
  }
  return { summaries, rejects, rows: allRows(store) };
}

describe('observe with several threads', () => {
  it('writes the same rows, summaries and rejects as with one thread', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, generatedRun, fc.integer({ min: 2, max: 4 }), async (first, second, jobs) => {
        // the second run has late snapshots
        expect(await results(jobs, [first, second])).toEqual(await results(1, [first, second]));
      }),
      RUNS,
    );
  });

  it('fails with the errors of one thread if there is no rejects file, and leaves the store unchanged', async () => {
    const store = join(temporaryFolder(), 'store.db');
    const good = { observed_at: '2020-01-01T00:00:00Z', screen_name: 'ann', bio: 'one' };
    const observe = (jobs: number, values: readonly (Snapshot | string)[][]) =>
      observeInputs(
        store,
        values.map((each, index) => sourceOf(each, `input ${index}`)),
        { snapshots: SNAPSHOTS, network: TWITTER, threads: { jobs, readAfter: 0, foldFrom: 1 } },
      );
    await observe(1, [[good]]);
    const before = allRows(store);
    const bad = [[good, '{"broken'], [good], ['{"observed_at":"never"}']];
    const failures = await Promise.all([await observe(1, bad).catch(String), await observe(3, bad).catch(String)]);
    expect(failures[0]).toContain('input 0');
    expect(failures[1]).toBe(failures[0]);
    expect(allRows(store)).toEqual(before);
  });
});

describe('Threads', () => {
  const job = (descriptor: number) => ({ pool: { number: 1, descriptor }, context: SNAPSHOTS, network: TWITTER, store: undefined });
  const request = { kind: 'read', texts: ['{"observed_at":"2020-01-01T00:00:00Z","screen_name":"ann"}'], lines: [1], paths: [''] } as const;

  it('rejects all requests with the error of a thread that fails', async () => {
    const folder = temporaryFolder();
    // the descriptor of a folder cannot be written
    const threads = new Threads([job(openSync(folder, 'r'))]);
    expect((await threads.ask(0, request)).rows).toHaveLength(5);
    const answers = [threads.ask(0, { kind: 'flush' }), threads.ask(0, request)];
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ code: 'EBADF', syscall: 'write' });
    await threads.close();
  });
});
