import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { accountPage, accountsPage, changesPage, HOME, monthPage } from '../../src/browse/paths.ts';
import type { DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import type { History } from '../support/histories.ts';
import { browseFiles, historyOf, SITE, storeOf } from './small-site.ts';

const BIO = 'Poet & gardener.\nשלום 🌹 @omar #soil';
/** The changes of an account: the field, its new text, and the day of March or April. */
const CHANGES: readonly (readonly [data_type: DataType, text: string | null, month: number, day: number, web_archive_url?: string])[] = [
  ['Name', 'Nina', 3, 1],
  ['Bio', 'Poet & baker.\nשלום 🌹 @omar #bread', 3, 1, 'https://archive.example/web/2024/https://social.example/nina_k'],
  ['Verified', 'false', 3, 1],
  ['Website', 'http://nina.example', 3, 2],
  ['Bio', BIO, 3, 5],
  ['Verified', 'true', 3, 5],
  ['Website', null, 4, 1],
  ['Location', '<b>İstanbul</b>', 4, 2],
];

function goldenHistory(): History {
  const records = CHANGES.map(([data_type, text, month, day, web_archive_url = null], index) => {
    const id = 101 + index;
    const before = CHANGES.slice(0, index).findLastIndex(([type]) => type === data_type);
    const previous = before === -1 ? null : 101 + before;
    const diff_html = diffHtml(data_type, CHANGES[before]?.[1], text);
    const first_encountered_date = `2024-0${month}-0${day}T14:03:0${id % 10}.000123Z`;
    return { id, account: 'nina_k', data_type, previous, text, first_encountered_date, diff_html, web_archive_url };
  });
  const profile = { profile_image_url: 'https://images.example/1.jpg', display_name: 'Nina', location: '<b>İstanbul</b>', bio: BIO };
  const nina = historyOf(records, { ...profile, account_creation_date: '2010-11-29T21:18:15Z' });
  return {
    records: nina.records,
    accounts: [...nina.accounts, ...historyOf([]).accounts.map((one) => ({ ...one, screen_name: 'Silent' }))],
  };
}

describe('the pages of a small site', () => {
  it('have these bytes (run with -u to accept others, and look at them)', async () => {
    const files = browseFiles(await storeOf(goldenHistory()), { ...SITE, page_size: 6 });
    const accounts = [accountPage('nina_k'), accountPage('Silent')];
    for (const path of [HOME, changesPage(1), changesPage(2), accountsPage(), monthPage('2024-03'), ...accounts]) {
      await expect(files.get(path)).toMatchFileSnapshot(fileURLToPath(new URL(`golden/${path.replaceAll('/', '-')}`, import.meta.url)));
    }
  });
});
