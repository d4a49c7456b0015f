import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeAccountState, encodeExportHeader } from '../../src/contract/accounts/account-state.ts';
import { CONFLICT_POLICIES, type ConflictPolicy } from '../../src/contract/record.ts';
import { type ImportSummary, importInputs } from '../../src/import/import.ts';
import type { InputError } from '../../src/sources/source.ts';
import { ThreadPool } from '../../src/threads/thread-pool.ts';
import { bioRecord, emptyAccount } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { allRows } from '../support/store-rows.ts';

/** How many sets of inputs are generated. */
const RUNS = { numRuns: times('sets of generated inputs', 3, 300) };

const page = (results: readonly object[]) => ({ count: results.length, next: null, previous: null, results });
const record = fc
  .record({ id: fc.integer({ min: 1, max: 12 }), text: fc.constantFrom('one', 'two 🌹', '\u2028"\\', '\ud800') })
  .map(({ id, text }) => ({ ...bioRecord(id), text }));
const account = fc
  .tuple(fc.array(record, { maxLength: 3 }), fc.constantFrom('', 'bio'))
  .map(([data, bio]) => emptyAccount('jack', { data, data_page_count: 1, bio }));
const json = fc
  .oneof({ weight: 6, arbitrary: record }, account, fc.array(record, { maxLength: 4 }).map(page), fc.array(record))
  .map((value) => JSON.stringify(value));
const odd = fc.constantFrom(
  '{"broken',
  '{"id":1,"id":2}',
  '{"observed_at":"2020-01-01T00:00:00Z","screen_name":"ann"}',
  JSON.stringify({ ...bioRecord(9_100_000_000_000_000), text: 'no later id' }),
  JSON.stringify({ code: 'bad-json', expected: 'x', found: 'y', file: 'gone.ndjson' }),
  JSON.stringify({ code: 'bad-json', expected: 'x', found: 'y', item: bioRecord(7) }),
  JSON.stringify({ excluded_at: '2020-01-01T00:00:00Z', handles: [], stable_ids: [], records: [3] }),
);
const lines = fc.array(fc.oneof({ weight: 12, arbitrary: json }, odd), { maxLength: 30 });
/** A page with indentation is read element by element. */
const document = fc
  .array(fc.oneof(record, account), { minLength: 1, maxLength: 30 })
  .map((items) => [JSON.stringify(page(items), null, 1)]);
const exported = fc.array(record, { maxLength: 6 }).map((records) => [
  encodeExportHeader({ accounts: 1, records: records.length }),
  encodeAccountState({
    screen_name: 'jack',
    account_creation_date: null,
    profile_image_url: '',
    stable_id: '12',
    observed_to: null,
    observed_fields: [],
    former_handles: [],
    profile: { display_name: '', website: null, location: '', bio: '' },
    profile_record: null,
  }),
  ...records.map((each) => JSON.stringify(each)),
]);
const inputs = fc.array(fc.oneof(lines, document, exported), { minLength: 1, maxLength: 3 });

interface Result {
  readonly summaries: readonly (ImportSummary | string)[];
  readonly rejects: readonly InputError[];
  readonly rows: readonly unknown[];
}

/** Imports some texts twice, in pieces of a few characters more than a record. */
async function results(
  isAllowed: boolean,
  texts: readonly (readonly string[])[],
  onConflict: ConflictPolicy,
  keeps: boolean,
): Promise<Result> {
  const store = join(temporaryFolder(), 'store.db');
  const rejects: InputError[] = [];
  const summaries: (ImportSummary | string)[] = [];
  for (const all of [texts, texts.toReversed()]) {
    const sources = all.map((each, index) => ({ name: `input ${index}`, size: undefined, open: () => pieces(each.join('\n')) }));
    const onReject = keeps ? (error: InputError) => void rejects.push(error) : undefined;
    summaries.push(await importInputs(store, sources, { onConflict, onReject, threads: { isAllowed, after: 0 } }).catch(String));
  }
  return { summaries, rejects, rows: allRows(store) };
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}

describe('an import with a thread', () => {
  it('writes the same rows, summaries and rejects as without it', async () => {
    const ask = vi.spyOn(ThreadPool.prototype, 'ask');
    onTestFinished(() => ask.mockRestore());
    const known = [Array.from({ length: 20 }, (_, index) => JSON.stringify(bioRecord(index + 1)))];
    await fc.assert(
      fc.asyncProperty(inputs, fc.constantFrom(...CONFLICT_POLICIES), fc.boolean(), async (texts, policy, keeps) => {
        expect(await results(true, texts, policy, keeps)).toEqual(await results(false, texts, policy, keeps));
      }),
      { ...RUNS, examples: [[known, 'fail', false]] },
    );
    expect(await ask.mock.results[0]?.value).toMatchObject({ json: expect.any(Uint8Array) });
  });

  it('names the place of a conflict in a rejects file', async () => {
    const [record, item] = [bioRecord(7), { ...bioRecord(7), text: 'another' }];
    const texts = [[JSON.stringify(record), JSON.stringify({ code: 'bad-json', expected: 'x', found: 'y', item })]];
    const outcome = await results(true, texts, 'fail', false);
    expect(outcome.summaries[0]).toContain('conflicts with an earlier one');
    expect(outcome).toEqual(await results(false, texts, 'fail', false));
  });
});
