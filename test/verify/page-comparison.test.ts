import { describe, expect, it } from 'vitest';
import { PageComparison } from '../../src/verify/page-comparison.ts';

const WORD = /"[a-z]*"/y;
const START = '{"é":[';

/** Reads a page with two words. Returns their JSON, and whether the page is canonical. */
function read(page: string, ...words: readonly string[]) {
  const comparison = new PageComparison(Buffer.from(page), START);
  const parts = words.map((word, index) => {
    comparison.expectComma(index);
    const encode = () => JSON.stringify(word);
    const extent = comparison.next(WORD, encode);
    return () => comparison.json(extent, encode).toString();
  });
  const isCanonical = comparison.finish(']}');
  return { json: parts.map((part) => part()), isCanonical };
}

describe('PageComparison', () => {
  it('returns the canonical JSON of each part of a canonical page', () => {
    expect(read('{"é":["one","two"]}', 'one', 'two')).toEqual({ json: ['"one"', '"two"'], isCanonical: true });
  });

  it('encodes a part that the pattern does not match', () => {
    expect(read('{"é":["ONE ü","two"]}', 'ONE ü', 'two')).toEqual({ json: ['"ONE ü"', '"two"'], isCanonical: true });
  });

  it.each([
    ['the part before the first item differs', '{"è":["one","two"]}'],
    ['the first item differs', '{"é":["\\u006fne","two"]}'],
    ['the last item differs', '{"é":["one","tw\\u006f"]}'],
    ['the comma is missing', '{"é":["one" "two"]}'],
    ['the end differs', '{"é":["one","two"] }'],
    ['bytes follow the end', '{"é":["one","two"]}\n'],
    ['the end is missing', '{"é":["one","two"'],
    ['the page is empty', ''],
    ['the part before the first item is missing', '["one","two"]}'],
    ['the pattern matched other values than the page has', '{"é":["other","words"],"é":["one","two"]}'],
  ])('reports a page as not canonical if %s, and returns the canonical JSON of its items', (_, page) => {
    expect(read(page, 'one', 'two')).toEqual({ json: ['"one"', '"two"'], isCanonical: false });
  });
});
