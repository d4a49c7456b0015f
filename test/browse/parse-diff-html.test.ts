import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { byteText, plainText } from '../../src/browse/markup.ts';
import { diffMarkup } from '../../src/browse/parse-diff-html.ts';
import { DATA_TYPES } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { partsOf } from '../../src/verify/pages/diff-markup.ts';
import { hostileText } from '../support/histories.ts';
import { times } from '../support/proof.ts';
import { elementsOf, readable, textOf } from './parsed-html.ts';

const words = fc.array(fc.constantFrom('she', 'her', '@nina', '#art', '🌹', 'שלום', '<b>', '&amp;', 'a.example', '\n', ' '), {
  maxLength: 8,
});
const value = fc.oneof(
  hostileText,
  words.map((list) => list.join(' ')),
  fc.constantFrom('http://a.example/?q=1&r="2"', 'example.org', "https://a.example/'", 'javascript:alert(1)'),
);

function markup(html: string): { readonly [K in 'inline' | 'before' | 'after']: string } | undefined {
  const found = diffMarkup(byteText(html));
  if (found === undefined) return undefined;
  return { inline: plainText(found.inline), before: plainText(found.before), after: plainText(found.after) };
}

const shown = (html: string, without: string) => textOf(parseFragment(html), without);
describe('the markup of a diff_html', () => {
  it('shows the value before and the value after of every change that palimpsest renders', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DATA_TYPES), value, value, (type, before, after) => {
        const found = markup(diffHtml(type, before, after));
        expect(shown(found?.before ?? '?', '')).toBe(readable(before));
        expect(shown(found?.after ?? '?', '')).toBe(readable(after));
        expect(shown(found?.inline ?? '?', 'del')).toBe(readable(after));
        expect(shown(found?.inline ?? '?', 'ins')).toBe(readable(before));
      }),
      { numRuns: times('rendered differences', 200, 5000) },
    );
  });

  it('accepts exactly what the independent parser of verify accepts, except unsafe links', () => {
    const markup =
      '<span>|</span>|<del style="background:#ffe6e6;">|<del>|</del>|<ins style="background:#e6ffe6;">|<ins>|</ins>|<br>|<br />';
    const others = `<a href="https://a.example/">|<a href='http://a.example'>|</a>|text|&amp;|&nbsp;|&|>|<b>|\n`;
    const pieces = fc.constantFrom(...`${markup}|${others}`.split('|'));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (list) => {
        const html = list.join('');
        const parts = partsOf(html);
        const isText = parts?.some((part) => part.open === '' && part.text.trim() !== '') ?? false;
        expect(diffMarkup(html) !== undefined).toBe(parts !== undefined && !isText);
      }),
      { numRuns: times('generated differences', 2000, 50_000) },
    );
  });

  it('never has an element or an attribute outside of a fixed list, whatever the diff_html is', () => {
    const html = fc.oneof(
      hostileText,
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', ' ', 'a', 'i', 'ins', 'script', '/', 'on', 'href') }),
    );
    fc.assert(
      fc.property(html, html, (one, other) => {
        for (const text of [
          one,
          `<ins>${one}</ins>`,
          `<ins><a href="${other}">${one}</a></ins>`,
          `<del><a href='http://${other}'>x</a></del>`,
        ]) {
          const found = markup(text);
          for (const element of elementsOf(parseFragment(found?.inline ?? '')))
            expect(['del', 'ins', 'i', 'a[href,rel]']).toContain(element);
        }
      }),
      { numRuns: times('hostile differences', 400, 10_000) },
    );
  });

  it.each([
    '<ins onclick="alert(1)">x</ins>',
    '<ins><a href="javascript:alert(1)">x</a></ins>',
    '<ins><a href="https://bank.example@evil.example/">bank.example</a></ins>',
    '<ins><a href="https://a.example" onclick="alert(1)">x</a></ins>',
    '<ins><a href="data:text/html,x">x</a></ins>',
    '<ins><a href="https://a.example/\u0001">x</a></ins>',
    '<ins>&#60;b&#62;</ins>',
  ])('is missing for %j', (html) => {
    expect(diffMarkup(html)).toBeUndefined();
  });

  it('marks a changed line break, and keeps an unchanged one', () => {
    expect(diffMarkup('<span>a<br>b</span><ins>c<br>d</ins>')?.inline).toBe('a\nb<ins>c<i></i>\nd</ins>');
  });
});
