import { join } from 'node:path';
import { beforeAll } from 'vitest';
import type { Account } from '../../src/contract/account.ts';
import type { ChangeRecord, DataType } from '../../src/contract/record.ts';
import type { Site } from '../../src/contract/site.ts';
import { importInputs } from '../../src/import/import.ts';
import { type BuildSummary, build } from '../../src/tree/build/build.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';
import { sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';
import { DamagedTree } from './damaged-tree.ts';

/** Small pages, so that a small history has several: 60 records on 9 pages, 8 accounts on 3. */
export const SITE: Site = { base_url: 'https://history.example/api', page_size: 7, account_page_size: 3 };

/** The accounts in the order of their first records; the last two have no records. */
export const NAMES = ['ada', 'Bob_2', 'çelik', 'dee', 'eli', '日本', 'aaron', 'zoe'] as const;

const WITH_RECORDS = 6;
/** A new field does not change the history. */
const FIELDS: readonly DataType[] = ['Location', 'Bio', 'Name', 'Website', 'Verified'];
const TEXTS = [
  '',
  'plain',
  'a "quoted" \\ and / one',
  'lines\r\nand\ttabs',
  'שלום‏ עולם',
  '👩‍👩‍👧‍👦',
  '\u2028\u2029',
  '<b>&amp;</b>',
  '\u0000\u001f\u007f',
];

/** Returns the id of the n-th record, counted from the oldest (0). Between two ids there is always an unused one. */
export function idOf(n: number): number {
  return 10 + 2 * n;
}

/** Returns a history that keeps every rule, newest record first. A longer history begins with the records of a shorter one. */
export function goodHistory(length = 60): History {
  const records: ChangeRecord[] = [];
  const newest = new Map<string, ChangeRecord>();
  for (let n = 0; n < length; n += 1) {
    const account = NAMES[n < WITH_RECORDS ? n : Math.min((n * 7) % 11, (n * 5) % WITH_RECORDS)] ?? NAMES[0];
    const type = FIELDS[(n + Math.floor(n / 5)) % FIELDS.length] ?? 'Bio';
    const record = recordOf(n, account, type, newest.get(`${type} ${account}`));
    records.push(record);
    newest.set(`${type} ${account}`, record);
  }
  return { records: records.toReversed(), accounts: NAMES.map((name) => accountOf(name, records)) };
}

function recordOf(n: number, account: string, type: DataType, before: ChangeRecord | undefined): ChangeRecord {
  const text = type === 'Verified' ? String(n % 2 === 0) : type === 'Website' && n % 3 === 0 ? null : (TEXTS[n % TEXTS.length] ?? '');
  const second = new Date(Date.UTC(2016, 1, 28, 23, 59) + n * 1000).toISOString().slice(0, 19);
  return {
    id: idOf(n),
    account,
    data_type: type,
    previous: before?.id ?? null,
    text,
    first_encountered_date: n % 4 === 0 ? `${second}Z` : `${second}.${String(n).padStart(6, '0')}Z`,
    diff_html: markupOf(type, before, text ?? ''),
    web_archive_url: [null, '', 'https://archive.example/web/1'][n % 3] ?? null,
  };
}

/** Returns right markup, made independently of src. */
function markupOf(type: DataType, before: ChangeRecord | undefined, text: string): string {
  const [old, fresh] = [before?.text ?? '', text].map((value) =>
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .split(/\r\n|\r|\n/)
      .join('<br>'),
  );
  if (type === 'Location') return `\n<del>${old}</del><br /><ins>${fresh}</ins>\n`;
  if (type === 'Website') return `\n<del>${linked(old)}</del><br /><ins>${linked(fresh)}</ins>\n`;
  if (before !== undefined && old === fresh) return fresh === '' ? '' : `<span>${fresh}</span>`;
  const removed = old === '' ? '' : `<del style="background:#ffe6e6;">${old}</del>`;
  return fresh === '' ? removed : `${removed}<ins style="background:#e6ffe6;">${fresh}</ins>`;
}

function linked(text = ''): string {
  return text === 'plain' ? `<a href='http://plain'>plain</a>` : text;
}

function accountOf(name: string, records: readonly ChangeRecord[]): Account {
  return {
    screen_name: name,
    account_creation_date: name.length % 2 === 0 ? null : '2010-11-29T21:18:15Z',
    profile_image_url: name === 'dee' ? '' : `https://images.example/${encodeURIComponent(name)}.jpg`,
    data: records.filter((record) => record.account === name).toReversed(),
    display_name: `The ${name}`,
    website: name === 'eli' ? null : 'https://site.example',
    location: '',
    bio: `I am ${name}\u2028`,
  };
}

/** Imports a history into a store. Creates the store if it does not exist. */
export async function importHistory(store: string, history: History): Promise<void> {
  await importInputs(store, [sourceOf(toNdjson(history), 'history')], { onConflict: 'replace' });
}

export function buildTree(store: string, out: string, site: Site = SITE): Promise<BuildSummary> {
  return build(store, { out, site });
}

/** The tree of the good history and its store, for all tests of a file. A copy is deleted after its test. */
export function goodTreeOfFile({ html = false }: { readonly html?: boolean } = {}): {
  readonly good: string;
  readonly store: string;
  readonly copy: () => DamagedTree;
} {
  const folder = folderOfFile();
  const [good, store] = [join(folder, 'good'), join(folder, 'good.db')];
  beforeAll(async () => {
    await importHistory(store, goodHistory());
    await build(store, { out: good, site: SITE, html });
  });
  return { good, store, copy: () => DamagedTree.copyOf(good, join(temporaryFolder(), 'out')) };
}
