import { describe, expect, it } from 'vitest';
import { accountMainPage, accountPartPage } from '../../src/browse/account-pages.ts';
import { accountParts, olderParts, partOfRecord } from '../../src/browse/account-parts.ts';
import { feedPage } from '../../src/browse/list-pages.ts';
import { recordAddress } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';

const FIRST_ID = 1_704_067_200_000_000;
const HANDLE = 'account_of_many_changes';

/** Returns a text of up to 500 characters that has no word in common with another one. */
function words(n: number, length: number): string {
  const all = Array.from({ length: 80 }, (_, index) => ((n + 1) * 7919 + index * 104_729).toString(36)).join(' ');
  return `@friend${n} #tag${n} https://example.org/${n} ${all}`.slice(0, length);
}

const longBio = (n: number) => words(n, 500);
/** A bio of 150 characters, of which a quarter changes. */
const usualBio = (n: number) => `${words(0, 110)} ${words(n, 99).slice(-39)}`;

/** Returns a hundred records of an account or of as many accounts, newest first. */
function hundred(textOf: (n: number) => string, accountOf: (n: number) => string): ChangeRecord[] {
  // ten different changes are enough
  const changes = Array.from({ length: 10 }, (_, n) => ({ text: textOf(n), diff_html: diffHtml('Bio', textOf(n + 10), textOf(n)) }));
  const record = (n: number): ChangeRecord => ({
    id: FIRST_ID + n,
    account: accountOf(n),
    data_type: 'Bio',
    previous: FIRST_ID + n - 1,
    text: changes[n % 10]?.text ?? '',
    first_encountered_date: '2024-09-05T10:00:00.123456Z',
    diff_html: changes[n % 10]?.diff_html ?? '',
    web_archive_url: `https://web.archive.org/web/20240905100000/https://social.example/@${accountOf(n)}`,
  });
  return Array.from({ length: 100 }, (_, index) => record(100 - index));
}

/** Returns the JSON of a page of the feed, and its HTML. */
function feedOf(textOf: (n: number) => string): { readonly json: Buffer; readonly html: Buffer } {
  const json = Buffer.from(JSON.stringify(hundred(textOf, (n) => `account_number_${n}`)).slice(1, -1));
  return { json, html: feedPage(5000, 10_000, json, ({ account, id }) => recordAddress(account, 12, id)) };
}

describe('a page of the feed with 100 records', () => {
  it('has less than 100 kB for usual bios, and less than its JSON for bios of 500 characters that are replaced', () => {
    expect(feedOf(usualBio).html.length).toBeLessThan(100_000);
    const { json, html } = feedOf(longBio);
    expect(html.length).toBeLessThan(Math.min(180_000, json.length));
  });
});

describe('the pages of an account with 100,000 records', () => {
  it('have less than 100 kB for bios of 500 characters that are replaced', () => {
    const templates = hundred(longBio, () => HANDLE);
    const bytes = templates.map((record) => JSON.stringify(record).length);
    const data = Array.from({ length: 1000 }, (_, n) =>
      templates.map((record, index) => ({ ...record, id: FIRST_ID + 100_000 - 100 * n - index })),
    ).flat();
    const parts = accountParts(data.map(({ id }, n) => ({ id, bytes: bytes[n % 100] ?? 0 })).toReversed());
    const older = olderParts(parts).at(-1)?.last ?? 0;
    const profile = { account_creation_date: null, profile_image_url: '', display_name: '', website: null, location: '', bio: longBio(1) };
    const shown = {
      account: { screen_name: HANDLE, ...profile, data },
      data: data.filter(({ id }) => id > older),
      ...{ verified: null, records: data.length, parts, formerHandles: [], formerHolders: [] },
    };
    const main = accountMainPage(shown, ({ account, id }) => recordAddress(account, partOfRecord(parts, id), id));
    expect(main.toString()).toContain('of 100,000 changes');
    expect(main.length).toBeLessThan(100_000);
    const part = parts[1500] ?? { first: 0, last: 0 };
    const records = data.filter(({ id }) => id >= part.first && id <= part.last);
    expect(records.length).toBeGreaterThan(10);
    expect(accountPartPage(shown, 1501, records).length).toBeLessThan(100_000);
  });
});
