import { describe, expect, it } from 'vitest';
import { incompleteLine, incompleteMirrors, lackSentence, reportsIn } from '../../../src/contract/files/incomplete-mirror.ts';

const COMPLETE = {
  base_url: 'https://h.example',
  finished_at: '2024-01-01T00:00:00Z',
  request_count: 7,
  counted: { records: 9000, accounts: 2 },
  missing: { records: 0, accounts: 0 },
};
const failed = (...urls: readonly string[]) => urls.map((url, index) => ({ url, pages: 3 - index, reason: 'status 500' }));
const REPORT = { ...COMPLETE, rejected: 2, failed_pages: failed('https://h.example/rest/data/?page=2') };

it.each([
  [{}, 'nothing proves that the mirror of https://h.example is complete'],
  [{ missing: { records: 1234, accounts: 0 } }, 'the mirror of https://h.example lacks at least 1,234 of 9,000 records'],
  [
    { missing: { records: 1, accounts: 1 } },
    'the mirror of https://h.example lacks at least 1 of 9,000 records and at least 1 of 2 accounts',
  ],
  [
    { missing: { records: 0, accounts: 1 }, failed_pages: failed('https://h.example/rest/data/?page=2') },
    'the mirror of https://h.example lacks at least 1 of 2 accounts, possibly also records (https://h.example/rest/data/?page=2 and 2 pages after it: status 500)',
  ],
  [
    { rejected: 1, failed_pages: failed('https://h.example/rest/data/?page=2', 'https://h.example/rest/account/?page=2') },
    expect.stringMatching(/ lacks 1 rejected item, possibly also records and accounts \(/),
  ],
  [{ request_count: 0, missing: { records: 2, accounts: 0 } }, 'the import of https://h.example lacks at least 2 of 9,000 records'],
  [{ request_count: 0 }, 'nothing proves that the import of https://h.example is complete'],
  [{ rejected: 1 }, 'the mirror of https://h.example lacks 1 rejected item'],
  [
    { failed_pages: failed('A', 'B', 'C') },
    'nothing proves that the mirror of https://h.example is complete (A and 2 pages after it: status 500; B and 1 page after it: status 500; C: status 500)',
  ],
  [
    { rejected: 2, failed_pages: failed('A', 'B', 'C', 'D', 'E') },
    expect.stringMatching(/ lacks 2 rejected items \(A.*C: status 500; and 2 more ranges\)$/),
  ],
])('the sentence says what a mirror lacks: %j', (lack, sentence) => expect(lackSentence({ ...COMPLETE, ...lack })).toEqual(sentence));

describe('the reports of a package', () => {
  const line = incompleteLine([REPORT, COMPLETE]);

  it('are found in a warcinfo record and in a build.json', () => {
    expect(line).toMatch(/^palimpsest-incomplete: \[\{"base_url":/);
    for (const end of ['\n', '\r\n']) expect(reportsIn(['software: x', line, 'format: WARC', ''].join(end))).toEqual([REPORT, COMPLETE]);
    expect(reportsIn(JSON.stringify({ incomplete: [REPORT] }))).toEqual([REPORT]);
  });

  it.each([
    '',
    '{}',
    '5',
    line.slice(0, -1),
    `x ${line}`,
    `palimpsest-incomplete: ${JSON.stringify({ incomplete: [REPORT] })}`,
    '{"incomplete":[{}]}',
  ])('are not found in %j', (text) => expect(reportsIn(text)).toEqual([]));

  it('may be missing', () => expect([undefined, []].map(incompleteMirrors.accepts)).toEqual([true, true]));

  it.each([
    ...Object.keys(COMPLETE).map((field) => ({ [field]: undefined })),
    { base_url: 5 },
    { finished_at: 'today' },
    { request_count: -1 },
    { counted: { records: 1 } },
    { missing: { records: '1', accounts: 1 } },
    { missing: null },
    { rejected: 'two' },
    { failed_pages: {} },
    ...[{ url: 5 }, { pages: '1' }, { reason: undefined }].map((wrong) => ({
      failed_pages: [...failed('A'), { ...failed('B')[0], ...wrong }],
    })),
  ])('are refused with %j', (wrong) => expect(incompleteMirrors.accepts([REPORT, { ...REPORT, ...wrong }])).toBe(false));
});
