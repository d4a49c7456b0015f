import { describe, expect, it } from 'vitest';
import { changedSummary, encodeAccountEnd, encodeAccountStart, identityOf, NO_SUMMARY, parseAccount } from '../../src/contract/account.ts';
import { bioRecord } from '../support/bio-record.ts';

const RECORD = bioRecord(3);
const ACCOUNT = { ...identityOf(RECORD.account), data: [RECORD], data_page_count: 1, ...NO_SUMMARY };

describe('an account', () => {
  it('without a profile from any source has empty fields', () => {
    expect(parseAccount(ACCOUNT)).toEqual({
      screen_name: RECORD.account,
      account_creation_date: null,
      profile_image_url: '',
      data: [RECORD],
      data_page_count: 1,
      display_name: '',
      website: null,
      location: '',
      bio: '',
    });
  });

  it('is encoded around its records', () => {
    const encoded = encodeAccountStart(ACCOUNT) + JSON.stringify(RECORD) + encodeAccountEnd(ACCOUNT, 1);
    expect(encoded).toBe(JSON.stringify(parseAccount(ACCOUNT)));
  });

  it.each([
    ['data[0].account', { data: [{ ...RECORD, account: 'bob' }] }, `"${RECORD.account}", the account that contains the record`, '"bob"'],
    ['data[0].id', { data: [{ ...RECORD, id: -1 }] }, expect.any(String), '-1'],
    ['bio', { bio: null }, 'a string', 'null'],
  ])('is refused at %s for %j', (field, change, expected, found) => {
    expect(() => parseAccount({ ...ACCOUNT, ...change })).toThrow(expect.objectContaining({ field, expected, found }));
  });
});

describe('changedSummary', () => {
  const before = { display_name: 'N', website: 'W', location: 'L', bio: 'B' };

  it.each([
    [[], before],
    [[{ data_type: 'Verified', text: 'true' }], before],
    [[{ data_type: 'Name', text: 'n' }], { ...before, display_name: 'n' }],
    [[{ data_type: 'Website', text: null }], { ...before, website: null }],
    [[{ data_type: 'Location', text: null }], { ...before, location: '' }],
    [
      [
        { data_type: 'Bio', text: 'new' },
        { data_type: 'Bio', text: 'old' },
      ],
      { ...before, bio: 'new' },
    ],
  ] as const)('after %j', (changes, summary) => expect(changedSummary(before, changes)).toEqual(summary));
});
