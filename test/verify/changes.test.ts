import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ChangeRecord, DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { checkChange } from '../../src/verify/changes.ts';
import { markupError } from '../../src/verify/markup.ts';
import { Report } from '../../src/verify/violation.ts';

interface Vector {
  readonly says: string;
  readonly type: DataType;
  readonly previous: boolean;
  readonly old: string | null;
  readonly new: string | null;
  readonly html: string;
}

const { right, wrong }: { readonly right: readonly Vector[]; readonly wrong: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../diff/vectors.json', import.meta.url), 'utf8'),
);

/** Returns the rules that a generated record breaks. */
function broken({ type, previous, old, new: text }: Omit<Vector, 'html' | 'says'>, diff_html: string): string[] {
  const id = 1_456_705_800_000_000;
  const first_encountered_date = '2016-02-29T00:30:00.000000Z';
  const record: ChangeRecord = {
    id,
    account: 'ada',
    data_type: type,
    previous: previous ? 1 : null,
    text,
    first_encountered_date,
    diff_html,
    web_archive_url: null,
  };
  const report = new Report();
  checkChange(record, previous ? { ...record, text: old } : undefined, 'page', report);
  const rules = report.violations.map((violation) => violation.rule);
  return markupError(diff_html) === undefined ? rules : ['record-markup', ...rules];
}

describe('the check of a generated change', () => {
  it.each(right.map((vector) => [vector.says, vector] as const))('accepts a right diff_html: %s', (_, vector) => {
    expect(broken(vector, vector.html)).toEqual([]);
  });

  it.each(wrong.map((vector) => [vector.says, vector] as const))('rejects a wrong diff_html: %s', (_, vector) => {
    expect(broken(vector, vector.html)).not.toEqual([]);
  });

  it('accepts a difference to an imported text with a lone surrogate', () => {
    const vector = { type: 'Bio', previous: true, old: 'a \ud83d', new: 'a b' } as const;
    expect(broken(vector, diffHtml('Bio', vector.old, vector.new))).toEqual([]);
  });

  it.each(['HTTPS://example.org/A', 'https://example.org/A', 'Https://example.org/A'])(
    'accepts the website %s with a link to it',
    (text) => {
      const linked = (href: string) => `\n<del></del><br /><ins><a href='${href}'>${text}</a></ins>\n`;
      const vector = { type: 'Website', previous: false, old: null, new: text } as const;
      for (const href of ['https://example.org/A', 'Https://example.org/A', text]) expect(broken(vector, linked(href))).toEqual([]);
      for (const href of ['https://example.org/a', 'http://example.org/A']) expect(broken(vector, linked(href))).toEqual(['diff-form']);
    },
  );

  it('rejects a diff_html of another text or another predecessor', () => {
    const vector = { type: 'Bio', previous: true, old: 'one & two', new: 'one & three' } as const;
    const html = diffHtml('Bio', vector.old, vector.new);
    expect(broken(vector, html)).toEqual([]);
    expect(broken({ ...vector, old: 'one two' }, html)).toEqual(['diff-previous']);
    expect(broken({ ...vector, new: 'one three' }, html)).toEqual(['diff-text']);
  });
});

it.each(['<', '&', '<a href="', '<span>', '<br>', '<span>x</span>', '&amp;', '>'])('rejects 500,000 repetitions of %j', (piece) => {
  expect(broken({ type: 'Bio', previous: true, old: 'a', new: 'b' }, piece.repeat(500_000))).not.toEqual([]);
});
