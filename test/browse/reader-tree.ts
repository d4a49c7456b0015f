import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SITE_NAME } from '../conformance/child.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import type { Snapshot } from '../support/snapshots.ts';

const SAMPLE: string = fileURLToPath(new URL('../../data/sample', import.meta.url));

/** The base URL of the tree. */
export const BASE_URL: string = `https://${SITE_NAME}/api`;

/** The account with the longest history in the tree. Its changes are on three pages. */
const LONG_ACCOUNT = 'ferry_times';

/**
 * Builds a tree that has every kind of page, from the sample and more snapshots.
 * @param folder an empty folder
 * @returns the folder of the tree
 */
export async function readerTree(folder: string): Promise<string> {
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await palimpsestJson(['import', SAMPLE, '--store', store]);
  await palimpsestJson(['observe', `${SAMPLE}-snapshots.ndjson`, '--store', store]);
  await palimpsestJson(['observe', '-', '--store', store], {
    input: moreSnapshots()
      .map((each) => JSON.stringify(each))
      .join('\n'),
  });
  await palimpsestJson([
    'build',
    '--html',
    '--account-feeds',
    ...['--store', store, '--out', out, '--base-url', BASE_URL, '--page-size', '20', '--account-page-size', '15'],
  ]);
  return out;
}

/** The numbers of the first and the last day with a bio of 10,000 characters: on a part of the account, and on the home page. */
const LONG_BIOS = [3, 124];

/** A long account, one with exactly two parts, a handle that another account has today, and an account without changes. */
function moreSnapshots(): Snapshot[] {
  const day = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 86_400_000).toISOString();
  const times = Array.from({ length: 125 }, (_, n) => ({
    observed_at: day(n),
    id: 'ferry',
    screen_name: LONG_ACCOUNT,
    display_name: 'Ferry times ⛴️',
    bio: LONG_BIOS.includes(n)
      ? 'All ferries of the harbour, by day. '.repeat(280).slice(0, 10_000)
      : `Next ferry at ${String(6 + (n % 16)).padStart(2, '0')}:${n % 2 === 0 ? '15' : '45'}`,
  }));
  const parts = Array.from({ length: 60 }, (_, n) => ({ observed_at: day(n), id: 'two', screen_name: 'two_parts', bio: `Day ${n}` }));
  const handles = [
    { observed_at: day(1), id: 'first', screen_name: 'harbour_light', display_name: 'The old light', bio: 'Lit since 1871' },
    { observed_at: day(60), id: 'first', screen_name: 'Harbour_Light_1871', display_name: 'The old light', bio: 'Lit since 1871' },
    { observed_at: day(90), id: 'second', screen_name: 'harbour_light', display_name: 'Harbour Light', bio: 'A new light' },
  ];
  return [...times, ...parts, ...handles].toSorted((a, b) => (a.observed_at < b.observed_at ? -1 : 1));
}
