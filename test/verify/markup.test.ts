import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markupError } from '../../src/verify/pages/diff-markup.ts';

describe('markupError, for other markup', () => {
  test.each([
    ['<a href="javascript:alert(1)">x</a>', 'javascript:alert(1)'],
    ['<a href="https://a.example" onclick="x()">x</a>', 'onclick'],
    ['<script>alert(1)</script>', 'the tag <script>'],
    ['<span>x', 'span that is not closed'],
    ['</span>', '</span>, but no span is open'],
    ['<ins><del></ins></del>', '</ins>, but no ins is open'],
    ['<', 'the tag <'],
  ])('rejects %j and names %j', (html, named) => {
    expect(markupError(html)).toContain(named);
  });
});

describe('markupError, for any text', () => {
  /** Pieces of right and wrong markup, so that many texts are right or almost right. */
  const piece = fc.constantFrom(
    '<span>',
    '</span>',
    '<ins>',
    '</ins>',
    '<del>',
    '</del>',
    '<ins style="background:#e6ffe6;">',
    '<del style="background:#ffe6e6;">',
    '<a href="https://a.example">',
    "<a href='http://b.example/?q=1'>",
    '</a>',
    '<br>',
    '<br />',
    'text',
    '<a href="javascript:x">',
    '<a href="https://',
    '">',
    '<',
    '>',
    '<b>',
    '<SPAN>',
    '<!--',
    '-->',
    ' style="background:#e6ffe6;"',
    '\n',
    "'",
    '/',
  );
  const balanced = fc.letrec<{ nodes: string; node: string }>((tie) => ({
    nodes: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
    node: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'markup' },
      fc.constantFrom('<br>', '<br />', 'text', '&lt;', ' > '),
      fc
        .tuple(fc.constantFrom('<span>', '<ins>', '<del style="background:#ffe6e6;">', "<a href='https://a.example'>"), tie('nodes'))
        .map(([open, inside]) => `${open}${inside}</${/\w+/.exec(open)?.[0] ?? ''}>`),
    ),
  })).nodes;
  const markup = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    balanced,
    fc.tuple(balanced, fc.nat(), piece).map(([html, at, wrong]) => {
      const place = at % (html.length + 1);
      return html.slice(0, place) + wrong + html.slice(place);
    }),
  );

  test('accepts a text exactly if each tag is on the list and closed', () => {
    let accepted = 0;
    fc.assert(
      fc.property(markup, (html) => {
        const isRight = isOnList(html);
        if (isRight && html.includes('<')) accepted += 1;
        expect(markupError(html) === undefined).toBe(isRight);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

/** An independent implementation of the check, without a regular expression for tags. */
function isOnList(html: string): boolean {
  const open: string[] = [];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    const end = html.indexOf('>', at);
    if (end === -1) return false;
    const tag = html.slice(at, end + 1);
    if (['</span>', '</ins>', '</del>', '</a>'].includes(tag)) {
      if (open.pop() !== tag.slice(2, -1)) return false;
    } else if (['<span>', '<ins>', '<del>', '<ins style="background:#e6ffe6;">', '<del style="background:#ffe6e6;">'].includes(tag)) {
      open.push(tag.slice(1, 4) === 'spa' ? 'span' : tag.slice(1, 4));
    } else if (isLink(tag)) {
      open.push('a');
    } else if (tag !== '<br>' && tag !== '<br />') {
      return false;
    }
  }
  return open.length === 0;
}

function isLink(tag: string): boolean {
  const quote = tag.charAt(8);
  const address = tag.slice(9, -2);
  const isFramed = tag.startsWith('<a href=') && (quote === '"' || quote === "'") && tag.endsWith(`${quote}>`) && tag.length > 11;
  return (
    isFramed &&
    ['http://', 'https://'].some((scheme) => address.toLowerCase().startsWith(scheme)) &&
    !/[<>\s]/.test(address) &&
    !address.includes(quote)
  );
}
