import { expect, it } from 'vitest';
import { accountMainPage, accountPartPage } from '../../src/browse/accounts/account-pages.ts';
import { accountParts, olderParts, partOfRecord } from '../../src/browse/accounts/account-parts.ts';
import { PageFrames } from '../../src/browse/page-frame.ts';
import { recordAddress } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { bioRecord } from '../support/bio-record.ts';
import { SITE } from './small-site.ts';

const RECORDS = 100_000;
const FIRST_ID = 1_704_067_200_000_000;
const HANDLE = 'account_of_many_changes';

/** Returns a text of 500 characters that has no word in common with another one. */
function bioOf(n: number): string {
  const all = Array.from({ length: 80 }, (_, index) => ((n + 1) * 7919 + index * 104_729).toString(36)).join(' ');
  return `@friend${n} #tag${n} https://example.org/${n} ${all}`.slice(0, 500);
}

it('the pages of an account with 100,000 records have less than 100 kB for bios of 500 characters that are replaced', () => {
  // ten different changes are enough
  const changes = Array.from({ length: 10 }, (_, n) => ({ text: bioOf(n), diff_html: diffHtml('Bio', bioOf(n + 10), bioOf(n)) }));
  const record = (n: number): ChangeRecord => ({
    ...bioRecord(FIRST_ID + n, { account: HANDLE, previous: FIRST_ID + n - 1, ...changes[n % 10] }),
    data_type: 'Bio',
    web_archive_url: `https://web.archive.org/web/20240905100000/https://social.example/@${HANDLE}`,
  });
  const data = Array.from({ length: RECORDS }, (_, index) => record(RECORDS - index));
  const parts = accountParts(
    data.map(({ id, text, diff_html }) => ({ id, bytes: 300 + diff_html.length + (text ?? '').length })).toReversed(),
  );
  const older = olderParts(parts).at(-1)?.last ?? 0;
  const profile = { account_creation_date: null, profile_image_url: '', display_name: '', website: null, location: '', bio: bioOf(1) };
  const observedBefore = new Map(data.map(({ id }) => [id, '2024-02-29T04:00:00.000000Z']));
  const shown = {
    account: { screen_name: HANDLE, ...profile, data },
    data: data.filter(({ id }) => id > older),
    ...{ changes: data.length, renames: new Map(), observedBefore, parts, formerHandles: [], formerHolders: [], lastSeen: null },
  };
  const addressOf = ({ account, id }: ChangeRecord) => recordAddress(account, partOfRecord(parts, id), id);
  const facts = { addressOf, textOf: () => '', handleAt: () => HANDLE };
  const main = new PageFrames(SITE).bytesOf(accountMainPage(shown, facts), '');
  expect(main.toString()).toContain('of 100,000 changes');
  expect(main.length).toBeLessThan(100_000);
  const part = parts[1500] ?? { first: 0, last: 0 };
  const records = data.filter(({ id }) => id >= part.first && id <= part.last);
  expect(records.length).toBeGreaterThan(10);
  expect(new PageFrames(SITE).bytesOf(accountPartPage(shown, 1501, records, facts), '').length).toBeLessThan(100_000);
});
