import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConflictPolicy } from '../../src/contract/record.ts';
import { ndjson } from '../../src/export/ndjson.ts';
import { type ImportSummary, importInputs } from '../../src/import/import.ts';
import type { InputError } from '../../src/sources/source.ts';
import { Store } from '../../src/store/store.ts';
import { build } from '../../src/tree/build/build.ts';
import { filesIn } from '../support/folder.ts';
import { histories, toNdjson } from '../support/histories.ts';
import { times } from '../support/proof.ts';
import { observe, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

const RUNS = { numRuns: times('generated exports', 8, 300) };
const SITE = { base_url: 'https://example.org', page_size: 3, account_page_size: 2 };
const START = Date.UTC(2020, 0, 1);
const folder = folderOfFile();

let paths = 0;
function newPath(): string {
  paths += 1;
  return join(folder, String(paths));
}

function linesOf(path: string): string[] {
  const store = Store.open(path);
  try {
    return [...ndjson(store)].join('').trimEnd().split('\n');
  } finally {
    store.close();
  }
}

function take(
  path: string,
  lines: readonly string[],
  onConflict: ConflictPolicy = 'fail',
  onReject?: (inputError: InputError) => void,
): Promise<ImportSummary> {
  return importInputs(path, [sourceOf(lines, 'export')], { onConflict, onReject });
}

/** Makes a new store from an export. */
async function storeOf(lines: readonly string[]): Promise<string> {
  const path = newPath();
  await take(path, lines);
  return path;
}

function snapshot(minute: number, rest: Snapshot): Snapshot {
  return { observed_at: new Date(START + minute * 60_000).toISOString(), screen_name: 'ann', ...rest };
}

describe('an export as NDJSON', () => {
  it('does not depend on the order of the imports', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories(15)
          .map(toNdjson)
          .chain((lines) => fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length }))),
        async ([one, other]) => {
          fc.pre(one.length > 0);
          expect(linesOf(await storeOf(other))).toEqual(linesOf(await storeOf(one)));
        },
      ),
      RUNS,
    );
  });

  it('keeps stable ids, former handles with times, and the names of accounts that lost a handle', async () => {
    const store = newPath();
    await observe(store, [
      snapshot(1, { id: '1', screen_name: 'old', bio: 'a' }),
      snapshot(2, { id: '1', screen_name: 'ann', bio: 'a' }),
      snapshot(3, { id: '2', screen_name: 'ann', bio: 'b' }),
      snapshot(4, { id: '1', screen_name: 'new', bio: 'a' }),
    ]);
    const lines = linesOf(store);
    const days = '[{"from":"2020-01-01","to":"2020-01-01"}]';
    expect(lines[0]).toBe(`{"format":"palimpsest-store","version":1,"snapshot_days":${days},"accounts":2,"records":2}`);
    const states = lines.slice(1, 3).map((line) => JSON.parse(line));
    expect(states[1]).toMatchObject({
      screen_name: 'new',
      stable_id: '1',
      observed_to: '2020-01-01T00:04:00.000000Z',
      former_handles: [
        { handle: 'old', seen_to: '2020-01-01T00:01:00.000000Z' },
        { handle: 'ann', seen_to: '2020-01-01T00:02:00.000000Z' },
        { handle: 'ann~1', seen_to: '2020-01-01T00:02:00.000000Z' },
      ],
    });
    const copy = await storeOf(lines);
    // both stores recognize an old snapshot under the old handle
    const again = [snapshot(1, { id: undefined, screen_name: 'old', bio: 'a' })];
    expect(await observe(copy, again)).toEqual(await observe(store, again));
  });

  it('has only the handles that a source showed, if two accounts swapped their handles', async () => {
    const store = newPath();
    const [one, two] = [
      { id: '1', bio: 'a' },
      { id: '2', bio: 'b' },
    ];
    await observe(store, [snapshot(1, { ...one, screen_name: 'ann' }), snapshot(1, { ...two, screen_name: 'bob' })]);
    await observe(store, [snapshot(2, { ...one, screen_name: 'bob' }), snapshot(2, { ...two, screen_name: 'ann' })]);
    const seen_to = '2020-01-01T00:01:00.000000Z';
    expect(
      linesOf(store)
        .slice(1, 3)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { screen_name: 'ann', former_handles: [{ handle: 'bob', seen_to }] },
      { screen_name: 'bob', former_handles: [{ handle: 'ann', seen_to }] },
    ]);
  });

  it('updates an older store of the same history, and does not change a newer one', async () => {
    const store = newPath();
    await observe(store, [snapshot(1, { id: '1', bio: 'a' })]);
    const older = linesOf(store);
    const copy = await storeOf(older);
    await observe(store, [snapshot(5, { id: '1', bio: 'b', profile_image_url: 'https://images.example/1' })]);
    const newer = linesOf(store);
    expect((await take(copy, newer)).accounts).toMatchObject({ replaced: 1 });
    expect(linesOf(copy)).toEqual(newer);
    expect((await take(copy, newer)).accounts).toMatchObject({ same: 1 });
    expect((await take(copy, older)).accounts).toMatchObject({ kept: 1 });
    expect(linesOf(copy)).toEqual(newer);
  });

  it('adds stable ids and former handles to a store that was imported from pages', async () => {
    const store = newPath();
    await observe(store, [snapshot(1, { id: '1', screen_name: 'old', bio: 'a' }), snapshot(2, { id: '1', bio: 'b', display_name: 'Ann' })]);
    const out = newPath();
    await build(store, { out, site: SITE });
    const copy = newPath();
    const pages = [...filesIn(out)].filter(([path]) => /page\/\d+\/index.json$/.test(path)).map(([, bytes]) => bytes.toString());
    await take(copy, pages);
    expect(linesOf(copy)).not.toEqual(linesOf(store));
    await take(copy, linesOf(store), 'replace');
    expect(linesOf(copy)).toEqual(linesOf(store));
  });

  it('conflicts if an account has another stable id, or another profile that is not older', async () => {
    const [store, other] = [newPath(), newPath()];
    await observe(store, [snapshot(1, { id: '1', bio: 'a', profile_image_url: 'https://images.example/1' })]);
    await observe(other, [snapshot(1, { id: '2', bio: 'a', profile_image_url: 'https://images.example/1' })]);
    const before = linesOf(store);
    expect(await take(store, linesOf(other))).toMatchObject({ conflicts: { count: 1 } });
    expect(linesOf(store)).toEqual(before);
    await take(store, linesOf(other), 'keep');
    expect(linesOf(store)).toEqual(before);
    await take(store, linesOf(other), 'replace');
    expect(linesOf(store)).toEqual(linesOf(other));
  });

  it('adds no record to an account that has the handle and another stable id, unless the policy is replace', async () => {
    const [store, other] = [newPath(), newPath()];
    await observe(store, [snapshot(1, { id: '1', bio: 'a' })]);
    await observe(other, [snapshot(2, { id: '2', bio: 'b' })]);
    const before = linesOf(store);
    await expect(take(store, linesOf(other))).rejects.toMatchObject({
      code: 'conflict',
      found: expect.stringContaining('another stable id'),
    });
    expect(await take(store, linesOf(other), 'keep')).toMatchObject({ records: { kept: 1 }, accounts: { kept: 1 } });
    expect(linesOf(store)).toEqual(before);
    expect(await take(store, linesOf(other), 'replace')).toMatchObject({ records: { added: 1 }, accounts: { replaced: 1 } });
  });

  it('conflicts if the store has the stable id under another name, even with the policy replace', async () => {
    const [store, other] = [newPath(), newPath()];
    await observe(store, [snapshot(1, { id: '1', screen_name: 'old', bio: 'a' })]);
    await observe(other, [snapshot(2, { id: '1', screen_name: 'new', bio: 'b' })]);
    for (const policy of ['fail', 'replace'] as const) {
      expect(await take(store, linesOf(other), policy)).toMatchObject({ conflicts: { count: 1 } });
    }
    expect((await take(store, linesOf(other), 'keep')).accounts).toMatchObject({ kept: 1 });
  });

  it('is rejected if a line is missing, but the remaining lines are imported with a rejects file', async () => {
    const store = newPath();
    await observe(store, [snapshot(1, { id: '1', bio: 'a', display_name: 'Ann' })]);
    const lines = linesOf(store).slice(0, -1);
    await expect(take(newPath(), lines)).rejects.toMatchObject({ code: 'bad-source', found: '1 accounts and 1 records' });
    const inputErrors: InputError[] = [];
    const summary = await take(newPath(), lines, 'fail', (inputError) => inputErrors.push(inputError));
    expect(summary).toMatchObject({ rejected: 1, records: { added: 1 }, accounts: { added: 1 } });
    expect(inputErrors).toMatchObject([{ code: 'bad-source' }]);
  });
});
