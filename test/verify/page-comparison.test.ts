import { describe, expect, it } from 'vitest';
import { PageComparison } from '../../src/verify/page-comparison.ts';

const WORD = /"[a-z]*"/y;
const START = '{"é":[';

/** Reads a page with two words. Returns their JSON, and whether the page is canonical. */
function read(page: string, ...words: readonly string[]) {
  const comparison = new PageComparison(Buffer.from(page), START);
  const parts = words.map((word, index) => {
    comparison.comma(index);
    return comparison.next(WORD, () => JSON.stringify(word));
  });
  const isCanonical = comparison.endsWith(']}');
  return { json: parts.map((part) => part().toString()), isCanonical };
}

describe('PageComparison', () => {
  it('returns the canonical JSON of each part of a canonical page', () => {
    expect(read('{"é":["one","two"]}', 'one', 'two')).toEqual({ json: ['"one"', '"two"'], isCanonical: true });
  });

  it('encodes a part that the pattern does not match', () => {
    expect(read('{"é":["ONE ü","two"]}', 'ONE ü', 'two')).toEqual({ json: ['"ONE ü"', '"two"'], isCanonical: true });
  });

  it.each([
    ['before the first item', '{"è":["one","two"]}'],
    ['in an item', '{"é":["\\u006fne","two"]}'],
    ['in the last item', '{"é":["one","tw\\u006f"]}'],
    ['between the items', '{"é":["one" "two"]}'],
    ['at the end', '{"é":["one","two"] }'],
    ['after the end', '{"é":["one","two"]}\n'],
    ['because the end is missing', '{"é":["one","two"'],
    ['because all is missing', ''],
    ['so that the second item is where the first one should be', '["one","two"]}'],
    ['because the pattern matches other values, and the end is another one', '{"é":["other","words"],"é":["one","two"]}'],
  ])('finds that a page has other bytes %s, and still returns the canonical JSON of its parts', (_, page) => {
    expect(read(page, 'one', 'two')).toEqual({ json: ['"one"', '"two"'], isCanonical: false });
  });
});
