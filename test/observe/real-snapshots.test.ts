import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseInstant } from '../../src/contract/instant.ts';
import type { ObserveSummary } from '../../src/observe/merge-snapshots.ts';
import { observeInputs } from '../../src/observe/observe.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import { build } from '../../src/tree/build/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isOne } from '../support/proof.ts';
import { contentsOf, type ShownRecord } from '../support/snapshots.ts';

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const SAVED = join(DATA, 'saved-pages/data');
const CONGRESS = join(DATA, 'congress-2017');
const MPS = join(DATA, 'uk-mps');
/** The time of the first collection, which its snapshots do not contain. */
const OBSERVED_AT = parseInstant('2017-09-19T20:47:28Z');

async function observe(store: string, ...paths: readonly string[]): Promise<ObserveSummary> {
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  const snapshots = { from: undefined, observedAt: OBSERVED_AT, unescape: false };
  return observeInputs(store, inputsOf(paths, nothing()), { snapshots });
}

/** Returns the records of all saved pages. */
function savedRecords(): ShownRecord[] {
  const pages = readdirSync(SAVED).map((name) => JSON.parse(readFileSync(join(SAVED, name), 'utf8')).results);
  return pages.flat();
}

/** Returns records by account, oldest first. The service gave ids of one time in another order of the accounts. */
function byAccount(records: readonly ShownRecord[]): ShownRecord[] {
  return records.toSorted((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : a.id - b.id));
}

/** Describes a record independently of its id. The predecessor is given by its position. */
function saying(records: readonly ShownRecord[], text: (record: ShownRecord) => unknown): unknown[] {
  const places = new Map(records.map(({ id }, index) => [id, index]));
  return records.map((record) => [
    record.account,
    record.data_type,
    String(record['first_encountered_date']).slice(0, 19),
    record.previous === null ? null : places.get(record.previous),
    text(record),
  ]);
}

describe.skipIf(isOne || !existsSync(SAVED))('snapshots of the US Congress and of British MPs (skipped if they are missing)', () => {
  it('give the same records as a live service, one by one, except for links that Twitter shortened', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
    await observe(store, CONGRESS);
    await observe(store, MPS);
    const { feed, accounts } = contentsOf(store);
    expect([feed.length, accounts.length]).toEqual([6921, 1659]);
    const [found, saved] = [byAccount(feed), byAccount(savedRecords())];
    expect(saying(found, () => '')).toEqual(saying(saved, () => ''));
    // which words of a change are kept is a matter of taste, but a first record has only one markup
    for (const [index, { previous, text, ...record }] of found.entries())
      if (previous === null && text === saved[index]?.text) expect(record['diff_html']).toBe(saved[index]?.['diff_html']);
    const texts = found.flatMap((record, index) => (record.text === saved[index]?.text ? [] : [[saved[index]?.text, record.text]]));
    expect(texts).toHaveLength(98);
    for (const [wrapped, written] of texts) {
      const pattern = String(wrapped)
        .split(/https?:\/\/t\.co\/\w+/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      expect(pattern.length).toBeGreaterThan(1);
      expect(written).toMatch(new RegExp(`^${pattern.join('\\S+')}$`));
    }
    await build(store, { out, site: { base_url: 'https://history.example', page_size: 100, account_page_size: 100 } });
    expect(await verify({ out, store })).toMatchObject({ records: 6921, accounts: 1659, violations: [], notes: [] });
  });
});
