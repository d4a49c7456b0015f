import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ChangeRecord, DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { checkChange } from '../../src/verify/pages/diff-check.ts';
import { markupError } from '../../src/verify/pages/diff-markup.ts';
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

const DEL = '<del style="background:#ffe6e6;">';
const INS = '<ins style="background:#e6ffe6;">';
/** The id of a generated record: its date in microseconds. */
const GENERATED = 1_456_705_800_000_000;
const IMPORTED = 500;

/** Returns the rules that a record breaks. It and its predecessor are generated, unless they have the ids of imported records. */
function broken({ type, previous, old, new: text }: Omit<Vector, 'html' | 'says'>, diff_html: string, ids = [GENERATED, GENERATED]) {
  const [id = 0, before = 0] = ids;
  const record: ChangeRecord = {
    id,
    account: 'ada',
    data_type: type,
    previous: previous ? 1 : null,
    text,
    first_encountered_date: '2016-02-29T00:30:00.000000Z',
    diff_html,
    web_archive_url: null,
  };
  const report = new Report();
  checkChange(record, previous ? { ...record, id: before, text: old } : undefined, 'page', report);
  const rules = [...report.violations, ...report.notes].map((violation) => violation.rule);
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

/** A change, with a wrong markup. The old text is undefined for a first record. */
type Change = readonly [what: string, type: DataType, old: string | null | undefined, text: string | null, html: string];

const MISSHAPEN: readonly Change[] = [
  ['an ins before a del', 'Bio', 'plain', 'new', `${INS}new</ins>${DEL}plain</del>`],
  ['an empty element', 'Bio', 'plain', 'new', `<span></span>${DEL}plain</del>${INS}new</ins>`],
  ['an element in an element', 'Bio', 'plain', 'new', `${DEL}<span>plain</span></del>${INS}new</ins>`],
  ['the elements of the other form', 'Bio', 'plain', 'new', '<del>plain</del><ins>new</ins>'],
  ['a break outside of an element', 'Bio', 'plain', 'plain', '<span>plain</span><br>'],
  ['a bracket that is not escaped', 'Bio', 'plain', '>', `${DEL}plain</del>${INS}></ins>`],
  ['a link in single quotes', 'Bio', 'plain', '@x', `${DEL}plain</del>${INS}<a href='https://twitter.com/x'>@x</a></ins>`],
  ['a link around an element', 'Bio', 'plain', 'plain', '<a href="https://twitter.com/x"><span>plain</span></a>'],
  ['a lone surrogate', 'Bio', 'plain', '\ud83d', `${DEL}plain</del>${INS}\ud83d</ins>`],
  ['a first record with an empty element', 'Name', undefined, 'dee', `<span></span>${INS}dee</ins>`],
  ['a kept letter of a badge', 'Verified', 'true', 'false', `${DEL}tru</del>${INS}fals</ins><span>e</span>`],
  ['no white space around', 'Location', 'plain', 'x', '<del>plain</del><br /><ins>x</ins>'],
  ['a place with the markup of bios', 'Location', 'plain', 'x', `${DEL}plain</del>${INS}x</ins>`],
  ['a link to another address', 'Website', 'a', 'x.y', `\n<del>a</del><br /><ins><a href='http://y.z'>x.y</a></ins>\n`],
  ['a scheme in two elements', 'Website', 'a', 'http://a', `${INS}http:</ins>${INS}//</ins><span>a</span>`],
];

const WRONG_TEXT: readonly Change[] = [
  ['another text', 'Bio', 'plain', 'new', `${DEL}plain</del>${INS}nwe</ins>`],
  ['a character that was escaped twice', 'Bio', 'plain', '&', `${DEL}plain</del>${INS}&amp;amp;</ins>`],
  ['an address that is not removed', 'Website', 'a', null, '\n<del>a</del><br /><ins>x</ins>\n'],
];

/** Markup that is wrong only because of the predecessor. */
const WRONG_PREDECESSOR: readonly Change[] = [
  ['another previous text', 'Bio', 'plain', 'new', `${DEL}plan</del>${INS}new</ins>`],
  ['another previous place', 'Location', 'plain', 'x', '\n<del></del><br /><ins>x</ins>\n'],
];
const MISFORMED_AFTER: Change = ['a scheme', 'Website', 'a', 'http://a', '\n<del>a</del><br /><ins>http://a</ins>\n'];
const KEPT_OF_NOTHING: Change = ['a kept text', 'Name', undefined, 'dee', '<span>dee</span>'];
const KEPT_OF_EMPTY: Change = ['a kept address', 'Website', null, 'http://a', `${INS}http://</ins><span>a</span>`];

/** Returns the rules that a change breaks: generated; generated after an imported one; imported. */
function rulesOf([, type, old, text, html]: Change): readonly string[][] {
  const vector = { type, previous: old !== undefined, old: old ?? null, new: text };
  return [
    [GENERATED, GENERATED],
    [GENERATED, IMPORTED],
    [IMPORTED, IMPORTED],
  ].map((ids) => broken(vector, html, ids));
}

describe('the check of a change', () => {
  it.each(MISSHAPEN)('finds a wrong form, whoever made the predecessor: %s', (...change) => {
    expect(rulesOf(change)).toEqual([['diff-form'], ['diff-form'], ['imported-diff-form']]);
  });

  it.each(WRONG_TEXT)('finds a wrong text, whoever made the predecessor: %s', (...change) => {
    expect(rulesOf(change)).toEqual([['diff-text'], ['diff-text'], ['imported-diff-text']]);
  });

  it.each(WRONG_PREDECESSOR)('takes no imported predecessor for certain: %s', (...change) => {
    expect(rulesOf(change)).toEqual([['diff-previous'], ['imported-diff-previous'], ['imported-diff-previous']]);
  });

  it('takes no imported predecessor for certain in the form of a change', () => {
    const [form, previous] = ['imported-diff-form', 'imported-diff-previous'];
    expect(rulesOf(MISFORMED_AFTER)).toEqual([['diff-form'], [form], [form]]);
    expect(rulesOf(KEPT_OF_EMPTY)).toEqual([
      ['diff-form', 'diff-previous'],
      [form, previous],
      [form, previous],
    ]);
    expect(rulesOf(KEPT_OF_NOTHING)).toEqual([
      ['diff-form', 'diff-previous'],
      ['diff-form', 'diff-previous'],
      [form, previous],
    ]);
  });
});

it.each(['<', '&', '<a href="', '<span>', '<br>', '<span>x</span>', '&amp;', '>'])('rejects 100,000 repetitions of %j', (piece) => {
  expect(broken({ type: 'Bio', previous: true, old: 'a', new: 'b' }, piece.repeat(100_000))).not.toEqual([]);
});
