import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DATA_TYPES, type DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { type Segment, segmentsOf } from '../../src/diff/segments.ts';
import { shown, shownInBlock } from './browser.ts';

interface Vector {
  readonly says: string;
  readonly type: DataType;
  readonly previous: boolean;
  readonly old: string | null;
  readonly new: string | null;
  readonly html: string;
  readonly exact: boolean;
}

/** A realistic edit of a profile, with the markup that was judged readable in a browser: `npm run diff:page` shows all of them. */
interface Golden {
  readonly says: string;
  readonly type: DataType;
  readonly before: string | null;
  readonly after: string | null;
  readonly html: string;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const VECTORS: readonly Vector[] = read('vectors.json').right;
const GOLDEN: readonly Golden[] = read('golden.json');
const render = ({ type, previous, old, new: fresh }: Vector) => diffHtml(type, previous ? old : undefined, fresh);

describe('diffHtml against recorded changes', () => {
  it.each(VECTORS.filter(({ exact }) => exact))('renders $says', (vector) => expect(render(vector)).toBe(vector.html));

  it.each(VECTORS.filter(({ exact }) => !exact))('shows both texts of $says', (vector) => {
    expect(shown(render(vector))).toEqual({ after: vector.new, before: vector.old });
  });

  it.each(GOLDEN)('renders $says readably', ({ type, before, after, html }) => expect(diffHtml(type, before, after)).toBe(html));
});

describe('diffHtml', () => {
  it.each(DATA_TYPES)('accepts any string as %s', (type) => {
    for (const text of ['\ud800', '\udfff#\ud800', '\u0000', '@\udc00', 'http://\ud800.example', '\u2028\u2029', '<', '&lt;']) {
      for (const before of [undefined, null, '', 'a', text]) {
        expect(diffHtml(type, before, text).isWellFormed()).toBe(true);
        expect(diffHtml(type, text, before ?? null).isWellFormed()).toBe(true);
      }
    }
  });

  it('marks nothing if nothing changed', () => {
    expect(diffHtml('Bio', 'same\r\n#x', 'same\n#x')).toBe('<span>same<br><a href="https://twitter.com/search?q=%23x">#x</a></span>');
    expect(diffHtml('Name', '', '')).toBe('');
    expect(diffHtml('Verified', 'true', 'true')).toBe('<span>true</span>');
    expect(diffHtml('Location', 'here', 'here')).toBe('\n<del>here</del><br /><ins>here</ins>\n');
    expect(diffHtml('Website', null, '')).toBe('\n<del></del><br /><ins></ins>\n');
  });
});

describe('a difference that would be longer than a record allows', () => {
  const tags = '#b '.repeat(3333);

  it('is both texts without links', () => {
    expect(diffHtml('Bio', 'a <b', tags)).toBe(
      `<del style="background:#ffe6e6;">a &lt;b</del><ins style="background:#e6ffe6;">${tags}</ins>`,
    );
    expect(diffHtml('Bio', undefined, tags)).toBe(`<ins style="background:#e6ffe6;">${tags}</ins>`);
    const url = `http://a.example/${'&'.repeat(9900)}`;
    const shownUrl = url.replaceAll('&', '&amp;');
    expect(diffHtml('Website', url, `${url}b`)).toBe(`\n<del>${shownUrl}</del><br /><ins>${shownUrl}b</ins>\n`);
  });

  it('has links again as soon as it is short enough', () => {
    expect(diffHtml('Bio', '', '#b '.repeat(1500))).toContain('<a href="https://twitter.com/search?q=%23b">#b</a>');
  });
});

describe('a location', () => {
  it('shows its line breaks', () => {
    const html = diffHtml('Location', 'a\r\nb', 'c\rd\n');
    expect(html).toBe('\n<del>a<br>b</del><br /><ins>c<br>d<br></ins>\n');
    expect(shownInBlock(html)).toEqual({ before: 'a\nb', after: 'c\nd\n' });
  });
});

describe('segmentsOf', () => {
  it('returns kept, removed and added text in reading order', () => {
    const expected: readonly Segment[] = [
      { kind: 'removed', text: 'Writer' },
      { kind: 'added', text: 'Editor' },
      { kind: 'kept', text: ' at @paper & ' },
      { kind: 'added', text: '<' },
      { kind: 'kept', text: 'more' },
      { kind: 'added', text: '>\nhere' },
    ];
    expect(segmentsOf('Writer at @paper & more', 'Editor at @paper & <more>\r\nhere')).toEqual(expected);
  });

  it('returns no segments for two empty texts', () => {
    expect(segmentsOf('', '')).toEqual([]);
    expect(segmentsOf('a', '')).toEqual([{ kind: 'removed', text: 'a' }]);
    expect(segmentsOf('', 'a')).toEqual([{ kind: 'added', text: 'a' }]);
    expect(segmentsOf('a\r', 'a\n')).toEqual([{ kind: 'kept', text: 'a\n' }]);
  });
});
