import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonValues } from '../../../src/sources/json/json-values.ts';
import { NotJson, type RawValue } from '../../../src/sources/json/raw-value.ts';
import { cases, times } from '../../support/proof.ts';

async function valuesOf(pieces: readonly string[]): Promise<RawValue[]> {
  async function* stream() {
    yield* pieces;
  }
  const values: RawValue[] = [];
  for await (const batch of jsonValues(stream())) values.push(...batch);
  return values;
}

/** Cuts a text at the given positions. */
function cutAt(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => text.slice(start, ends[index] ?? text.length));
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const items = fc.array(
  fc.oneof(
    fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
    fc.constant({ results: [1] }),
    fc.constant({ a: { results: [{}] } }),
  ),
  { minLength: 1, maxLength: 6 },
);

describe('jsonValues', () => {
  it('yields one value for each line of NDJSON, wherever the text is cut', async () => {
    const notPage = items.map((list) => list.map((item) => ({ id: 1, item })));
    await fc.assert(
      fc.asyncProperty(notPage, fc.constantFrom('\n', '\r\n', '\n\n'), cuts, async (list, newline, places) => {
        const text = list.map((item) => JSON.stringify(item)).join(newline);
        const values = await valuesOf(cutAt(text, places));
        expect(values.map((value) => JSON.parse(value.text))).toEqual(list.map((item) => JSON.parse(JSON.stringify(item))));
        const step = newline === '\n\n' ? 2 : 1;
        expect(values.map((value) => value.line)).toEqual(list.map((_, index) => 1 + index * step));
      }),
    );
  });

  it('yields the elements of an array, with path and line', async () => {
    await fc.assert(
      fc.asyncProperty(items, fc.constantFrom(undefined, 1, 4), cuts, async (list, indent, places) => {
        const text = JSON.stringify(list, null, indent);
        const values = await valuesOf(cutAt(text, places));
        expect(values.map((value) => JSON.parse(value.text))).toEqual(JSON.parse(text));
        expect(values.map((value) => value.path)).toEqual(list.map((_, index) => `[${index}]`));
        const lines = text.split('\n');
        for (const value of values) expect(lines[value.line - 1]).toContain(value.text.trim().split('\n')[0]);
      }),
    );
  });

  it('yields the results of an indented page, then the page without them', async () => {
    await fc.assert(
      fc.asyncProperty(items, cuts, async (results, places) => {
        const page = { count: results.length, next: 'results', previous: null, results };
        const values = await valuesOf(cutAt(JSON.stringify(page, null, 2), places));
        expect(values.slice(0, -1).map((value) => JSON.parse(value.text))).toEqual(JSON.parse(JSON.stringify(results)));
        expect(values.slice(0, -1).map((value) => value.path)).toEqual(results.map((_, index) => `results[${index}]`));
        expect(JSON.parse(values.at(-1)?.text ?? '')).toEqual({ ...page, results: [] });
      }),
    );
  });

  it('ends with values or NotJson for any text', async () => {
    const shards = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', '\n', ' ', 'results', '"results":[', '{"a":1}', '1', '<'),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(shards, cuts, async (parts, places) => {
        try {
          await valuesOf(cutAt(parts.join(''), places));
        } catch (error) {
          expect(error).toBeInstanceOf(NotJson);
        }
      }),
      { numRuns: times('broken documents', 500, 2000) },
    );
  });

  it.each([
    ['', 'an empty file'],
    [' \n ', 'an empty file'],
    ['hello', 'hello'],
    ['[{"a":1},\n {"a":', 'a file that ends inside the value that begins here'],
    ['{\n "a": [1', 'a file that ends inside the value'],
    ['[1]]', ']'],
    ['[1] x', 'x'],
    ['[1}', '}'],
  ])('rejects %j', async (text, found) => {
    const error = await valuesOf([text]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotJson);
    if (error instanceof NotJson) expect(error.found).toContain(found);
  });

  it('yields indented documents that follow one another, as jq prints them', async () => {
    const values = await valuesOf(['{\n  "a": 1\n}\n{\n  "a": 2\n}\n[\n3\n]']);
    expect(values.map((value) => [JSON.parse(value.text), value.line])).toEqual([
      [{ a: 1 }, 1],
      [{ a: 2 }, 4],
      [3, 8],
    ]);
  });

  it('keeps the lines of values in a broken document', async () => {
    await expect(valuesOf(['[\n{"a":1},\n{"b":'])).rejects.toMatchObject({ line: 3 });
  });

  /** Longer than the longest line that is read as one value. */
  const long = 'x'.repeat(1_100_000);

  it('yields the elements of a long line, then one value for each further line', async () => {
    await fc.assert(
      fc.asyncProperty(items, fc.boolean(), fc.constantFrom('first', 'second'), cuts, async (results, isCut, where, places) => {
        const page = { count: 2, filler: long, next: null, results };
        const text = JSON.stringify(page);
        const other = { id: 1, results: [1] };
        // cut inside a string, so that the next line cannot continue it
        const line = isCut ? text.slice(0, text.indexOf(long) + 1_090_000) : text;
        const lines = where === 'first' ? [line, JSON.stringify(other)] : [JSON.stringify(other), line, JSON.stringify(other)];
        const values = await valuesOf(cutAt(lines.join('\n'), places));
        const at = where === 'first' ? 1 : 2;
        const fromPage = values.filter((value) => value.line === at);
        if (isCut) {
          expect(fromPage).toMatchObject([{ broken: { expected: expect.stringContaining('complete') } }]);
        } else {
          const expected = JSON.parse(text.replace(long, ''));
          const parsed = fromPage.map((value) => JSON.parse(value.text.replace(long, '')));
          expect(parsed).toEqual([...expected.results, { ...expected, results: [] }]);
          expect(fromPage.at(-1)?.elements).toBe(results.length);
        }
        const others = values.filter((value) => value.line !== at);
        expect(others.map((value) => [value.line, JSON.parse(value.text)])).toEqual(
          (where === 'first' ? [2] : [1, 3]).map((number) => [number, other]),
        );
      }),
      { numRuns: times('long lines', 6, 40) },
    );
  });

  it('yields the values of a document with a long first line', async () => {
    const text = `{"count":1,"filler":"${long}","results":[{"a":1},\n{"a":2}\n],\n"b":1}`;
    const values = await valuesOf([text]);
    expect(values.map((value) => [value.line, value.path])).toEqual([
      [1, 'results[0]'],
      [2, 'results[1]'],
      [1, ''],
    ]);
  });

  it('splits only the first of two results arrays in a page', async () => {
    const values = await valuesOf(['{\n"results":[1],"results":[2]}']);
    expect(values.map((value) => value.text)).toEqual(['1', '{\n"results":[],"results":[2]}']);
  });

  it.each(cases(['{"a":1}\n{"a":"', '[{"a":"']))('rejects a value as soon as it is too long: %j', async (head) => {
    let given = 0;
    async function* endless() {
      yield head;
      for (; given < 200; given += 1) yield 'x'.repeat(1 << 20);
    }
    const found: RawValue[] = [];
    const read = async () => {
      for await (const batch of jsonValues(endless())) {
        found.push(...batch);
        if (batch.some((value) => value.broken !== undefined)) return;
      }
    };
    const error = await read().catch((reason: unknown) => reason);
    expect(error ?? found.at(-1)?.broken).toMatchObject({ expected: 'values of at most 67108864 characters' });
    expect(given).toBeLessThan(66);
  });

  it('keeps control characters that are not white space, so that JSON.parse rejects them', async () => {
    for (const text of ['[\u0001{"a":1}]', '[{"a":1},\u0000{"a":1}]']) {
      const values = await valuesOf([text]);
      expect(() => values.map((value) => JSON.parse(value.text))).toThrow();
    }
    await expect(valuesOf(['[1]\u0001'])).rejects.toBeInstanceOf(NotJson);
  });
});
