import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { accountPage, accountsPage, changesPage, HOME, monthPage } from '../../src/browse/paths.ts';
import type { ChangeRecord, DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import type { History } from '../support/histories.ts';
import { browseFiles, SITE, storeOf } from './small-site.ts';

function goldenHistory(): History {
  let id = 100;
  const newest = new Map<DataType, ChangeRecord>();
  const record = (data_type: DataType, text: string | null, day: number, web_archive_url: string | null = null): ChangeRecord => {
    const previous = newest.get(data_type);
    id += 1;
    const diff_html = diffHtml(data_type, previous?.text, text);
    const first_encountered_date = `2024-0${day > 28 ? 4 : 3}-${String(day > 28 ? day - 28 : day).padStart(2, '0')}T14:03:0${id % 10}.000123Z`;
    const made = {
      id,
      account: 'nina_k',
      data_type,
      previous: previous?.id ?? null,
      text,
      first_encountered_date,
      diff_html,
      web_archive_url,
    };
    newest.set(data_type, made);
    return made;
  };
  const records = [
    record('Name', 'Nina', 1),
    record('Bio', 'Poet & baker.\nשלום 🌹 @omar #bread', 1, 'https://archive.example/web/2024/https://social.example/nina_k'),
    record('Verified', 'false', 1),
    record('Website', 'http://nina.example', 2),
    record('Bio', 'Poet & gardener.\nשלום 🌹 @omar #soil', 5),
    record('Verified', 'true', 5),
    record('Website', null, 29),
    record('Location', '<b>İstanbul</b>', 30),
  ];
  const data = records.toReversed();
  const profile = { display_name: 'Nina', website: null, location: '<b>İstanbul</b>', bio: 'Poet & gardener.\nשלום 🌹 @omar #soil' };
  const nina = {
    screen_name: 'nina_k',
    account_creation_date: '2010-11-29T21:18:15Z',
    profile_image_url: 'https://images.example/1.jpg',
    data,
    ...profile,
  };
  const silent = {
    ...nina,
    screen_name: 'Silent',
    data: [],
    display_name: '',
    location: '',
    bio: '',
    account_creation_date: null,
    profile_image_url: '',
  };
  return { records: data, accounts: [nina, silent] };
}

describe('the pages of a small site', () => {
  it('have these bytes (run with -u to accept others, and look at them)', async () => {
    const files = browseFiles(await storeOf(goldenHistory()), { ...SITE, page_size: 6 });
    const accounts = [accountPage('nina_k'), accountPage('Silent')];
    for (const path of [HOME, changesPage(1), changesPage(2), accountsPage(1), monthPage('2024-03'), ...accounts]) {
      await expect(files.get(path)).toMatchFileSnapshot(fileURLToPath(new URL(`golden/${path.replaceAll('/', '-')}`, import.meta.url)));
    }
  });
});
