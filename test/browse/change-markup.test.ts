import { describe, expect, it } from 'vitest';
import { markup } from '../../src/browse/byte-text.ts';
import { accountChange, feedChange } from '../../src/browse/change-list.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';

function verified(text: string, diff_html: string, previous: number | null = 1): ChangeRecord {
  const first_encountered_date = '2024-03-05T14:03:06Z';
  return { id: 2, account: 'nina_k', data_type: 'Verified', previous, text, first_encountered_date, diff_html, web_archive_url: null };
}

/** Returns the markup of the values of a change, without its heading. */
function values(markup: string): string {
  return /<div dir=auto>.*<\/div>/.exec(markup)?.[0] ?? '';
}

describe('a change of Verified', () => {
  const shown = (record: ChangeRecord) => [values(feedChange(record, markup`x.html#r2`)), values(accountChange(record, markup`#r2`))];

  it('has the words of the profile, also if the difference is a part of a word', () => {
    const part = '<del>f</del><ins>tru</ins><del>als</del><span>e</span>';
    expect(shown(verified('true', part))[0]).toBe('<div dir=auto><del>No</del><ins>Yes</ins></div>');
    expect(shown(verified('true', '<del style="background:#ffe6e6;">false</del><ins style="background:#e6ffe6;">true</ins>'))).toEqual([
      '<div dir=auto><del>No</del><ins>Yes</ins></div>',
      '<div dir=auto><del>No</del></div><div dir=auto><ins>Yes</ins></div>',
    ]);
  });

  it('has one word if the value is the first one, or the same as before', () => {
    expect(shown(verified('false', '\n<ins>false</ins>\n', null))).toEqual(Array(2).fill('<div dir=auto><ins>No</ins></div>'));
    expect(shown(verified('true', '<span>true</span>'))[0]).toBe('<div dir=auto>Yes</div>');
    expect(shown(verified('true', ''))[0]).toBe('<div dir=auto><ins>Yes</ins></div>');
  });

  it('shows a difference of other values unchanged', () => {
    expect(shown(verified('true', '<del>maybe</del><ins>true</ins>'))[0]).toBe('<div dir=auto><del>maybe</del><ins>true</ins></div>');
    expect(shown(verified('true', '<b>x</b>'))[0]).toContain('<ins>Yes</ins><code>&lt;b&gt;x&lt;/b&gt;</code>');
  });
});

describe('a change of an account whose diff_html does not tell the text before', () => {
  const bio = (diff_html: string, previous: number | null): ChangeRecord => ({
    ...verified('now', diff_html, previous),
    data_type: 'Bio',
  });

  it.each(['', '<b>x</b>'])('shows no text before, and is not "First seen": %j', (html) => {
    const shown = accountChange(bio(html, 1), markup`#r2`);
    expect(values(shown).match(/<div/g)).toHaveLength(1);
    expect(values(shown)).toContain('<ins>now</ins>');
    expect(shown).toMatch(/^<article id=r2 class="B unknown">/);
  });

  it('is "First seen" if it is a first record', () => {
    expect(accountChange(bio('', null), markup`#r2`)).toMatch(/^<article id=r2 class=B>/);
  });

  it('shows an empty text before if the diff_html has only new text', () => {
    expect(values(accountChange(bio('<ins style="background:#e6ffe6;">now</ins>', 1), markup`#r2`))).toBe(
      '<div dir=auto></div><div dir=auto><ins>now</ins></div>',
    );
  });
});
