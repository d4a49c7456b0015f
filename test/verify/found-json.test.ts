import { describe, expect, it } from 'vitest';
import { type Account, encodeIdentity, encodeSummary } from '../../src/contract/account.ts';
import { type ChangeRecord, encodeRecord } from '../../src/contract/record.ts';
import { walkAccounts } from '../../src/verify/accounts.ts';
import { BloomFilter } from '../../src/verify/bloom-filter.ts';
import { noDamages } from '../../src/verify/damaged-pages.ts';
import { walkFeed } from '../../src/verify/feed.ts';
import { MultisetHash } from '../../src/verify/multiset-hash.ts';
import { Predecessors } from '../../src/verify/predecessors.ts';
import type { TreeMetadata } from '../../src/verify/tree-pages.ts';
import { Report } from '../../src/verify/violation.ts';

const record = (id: number, account: string, first_encountered_date = '2020-01-01T00:00:00Z'): ChangeRecord => ({
  id,
  account,
  data_type: 'Name',
  previous: null,
  text: 'ä',
  first_encountered_date,
  diff_html: 'ä',
  web_archive_url: null,
});
const account = (name: string, records: readonly ChangeRecord[], account_creation_date: string | null = null): Account => ({
  screen_name: name,
  account_creation_date,
  profile_image_url: '',
  data: records,
  display_name: 'ä',
  website: null,
  location: '',
  bio: '',
});
const encodeAccount = (one: Account) =>
  `${encodeIdentity(one).slice(0, -1)},"data":[${one.data.map(encodeRecord).join(',')}],"data_page_count":${Math.min(1, one.data.length)},${encodeSummary(one).slice(1)}`;

/** A tree with one page of each collection. @param more further fields of the page */
function treeOf(items: readonly string[], more = ''): TreeMetadata {
  const page = `{"count":${items.length},"next":null,"previous":null,"results":[${items.join(',')}]${more}}`;
  const sizes = { page_size: 100, account_page_size: 100, records: items.length, accounts: items.length };
  return {
    build: {
      ...{ palimpsest: '', state: 'finished', base_url: 'https://history.example', ...sizes },
      ...{ data_pages: 1, account_pages: 1, compress: '', store: '', manifest: '' },
    },
    pages: { read: () => Buffer.from(page) },
  };
}

describe('walkFeed and walkAccounts on a page with an invalid item', () => {
  it('yield every valid record of the feed with its own JSON', () => {
    const [valid, report] = [[record(5, 'a'), record(3, 'c')], new Report()];
    const items = [record(5, 'a'), record(4, 'b', '2020-02-30T00:00:00Z'), record(3, 'c')].map(encodeRecord);
    const found = [...walkFeed(treeOf(items), new MultisetHash(), noDamages().feed, report)];
    expect(found.map(({ json }) => json.toString())).toEqual(valid.map(encodeRecord));
    expect(report.violations.map(({ rule }) => rule)).toEqual(['record-field']);
  });

  it('yield every valid account with its own JSON', () => {
    const accounts = [
      account('a', [record(1, 'a')]),
      account('b', [record(2, 'b')], '2020-02-30T00:00:00Z'),
      account('c', [record(3, 'c')]),
    ];
    const [feed, report] = [new Predecessors(BloomFilter.for(0)), new Report()];
    const tree = treeOf(accounts.map(encodeAccount));
    const found = [...walkAccounts(tree, new MultisetHash(), undefined, feed, noDamages().accounts, report)];
    expect(found.map(({ json }) => json().toString())).toEqual([accounts[0], accounts[2]].map((one) => one && encodeAccount(one)));
    expect(found.map(({ records }) => records.join())).toEqual([encodeRecord(record(1, 'a')), encodeRecord(record(3, 'c'))]);
    expect(report.violations.map(({ rule }) => rule)).toEqual(['account-field']);
  });
});

describe('walkFeed and walkAccounts on a page with a key that occurs twice', () => {
  const [first, second] = [record(1, 'a'), { ...record(1, 'a'), text: 'ö', diff_html: 'ö' }];

  it('yield the records that JSON.parse returns, with their own JSON', () => {
    const report = new Report();
    const tree = treeOf([encodeRecord(first)], `,"results":[${encodeRecord(second)}]`);
    const found = [...walkFeed(tree, new MultisetHash(), noDamages().feed, report)];
    expect(found.map(({ record, json }) => [record, json.toString()])).toEqual([[second, encodeRecord(second)]]);
    expect(report.violations.map(({ rule }) => rule)).toEqual(['page-bytes']);
  });

  it('yield the accounts that JSON.parse returns, with their own JSON', () => {
    const [feed, report] = [new Predecessors(BloomFilter.for(0)), new Report()];
    const twice = encodeAccount(account('a', [first])).replace(',"data_page_count"', `,"data":[${encodeRecord(second)}],"data_page_count"`);
    const found = [...walkAccounts(treeOf([twice]), new MultisetHash(), undefined, feed, noDamages().accounts, report)];
    expect(found.map(({ json }) => json().toString())).toEqual([encodeAccount(account('a', [second]))]);
    expect(found.map(({ records }) => records.join())).toEqual([encodeRecord(second)]);
    expect(report.violations.map(({ rule }) => rule)).toEqual(['page-bytes']);
  });
});
