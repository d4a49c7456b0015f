import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/sources/json/parse-json.ts';
import { times } from '../../support/proof.ts';

const parse = (text: string, path = '') => parseJson({ text, line: 7, path }, 'file');

/** A JSON text, its value, and whether a name occurs twice in one object. */
interface Sample {
  readonly text: string;
  readonly value: unknown;
  readonly repeated: boolean;
}

const space = fc.constantFrom('', ' ', '\n', '\t ');
/** A JSON string, either short or completely escaped. */
const string = fc
  .tuple(fc.oneof(fc.constantFrom('a', 'b', ':', '":', '\\', '{"a":1,"a":2}', ''), fc.string({ unit: 'binary' })), fc.boolean())
  .map(([value, isEscaped]) =>
    isEscaped
      ? `"${[...Array(value.length).keys()].map((at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(value),
  );

const { sample } = fc.letrec<{ sample: Sample; leaf: Sample; list: Sample; object: Sample }>((tie) => ({
  sample: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
  leaf: fc
    .oneof(string, fc.constantFrom('true', 'false', 'null'), fc.maxSafeInteger().map(String))
    .map((text) => ({ text, value: JSON.parse(text), repeated: false })),
  list: fc.tuple(fc.array(tie('sample'), { maxLength: 4 }), space).map(([items, gap]) => ({
    text: `[${gap}${items.map(({ text }) => text).join(`${gap},`)}]`,
    value: items.map(({ value }) => value),
    repeated: items.some((item) => item.repeated),
  })),
  object: fc.tuple(fc.array(fc.tuple(string, tie('sample')), { maxLength: 5 }), space).map(([fields, gap]) => ({
    text: `{${gap}${fields.map(([name, { text }]) => `${name}${gap}:${gap}${text}`).join(`,${gap}`)}${gap}}`,
    // not JSON.parse: on Node 24 it returns some escaped names wrong
    value: Object.fromEntries(fields.map(([name, { value }]) => [JSON.parse(name), value])),
    repeated: new Set(fields.map(([name]) => JSON.parse(name))).size < fields.length || fields.some(([, value]) => value.repeated),
  })),
}));

describe('parseJson', () => {
  it('returns escaped names as written, after an object whose name is a backslash', () => {
    // JSON.parse of Node 24 returns the name of the first object for the second one too
    for (const name of ['\\\\', '\\u0061', '\\n', 'b', '\\"', '__proto__']) {
      const text = `{"n":"\\"x\\": ","${name}" : [{"1":1,"${name}":{}}],"1":"${name}"}`;
      const [, key] = Object.entries(parse(text)).flatMap(([, value]) => Object.keys(value).filter((it) => it !== '1'));
      expect(key).toBe(JSON.parse(`"${name}"`));
      expect(JSON.stringify(parse(text))).toBe(
        `{"value":{"1":"X","n":"\\"x\\": ","X":[{"1":1,"X":{}}]}}`.replaceAll('"X"', JSON.stringify(key)),
      );
    }
  });

  it('returns the value of the text, unless a name occurs twice in one object', () => {
    fc.assert(
      fc.property(sample, ({ text, value, repeated }) => {
        const parsed = parse(text);
        const error = { kind: 'error', code: 'bad-json', place: { file: 'file', line: 7 } };
        if (!repeated) {
          expect(parsed).toEqual({ value });
        } else if ('kind' in parsed) {
          expect(parsed).toMatchObject({ ...error, item: text });
        } else {
          expect(parsed.lost?.size).toBeGreaterThan(0);
          for (const one of parsed.lost?.values() ?? []) {
            expect(one).toMatchObject(error);
            // the item alone loses data too
            expect(Object.keys(parse(String(one.item)))).not.toEqual(['value']);
          }
          // the rest loses nothing
          expect(parse(JSON.stringify(parsed.value))).toEqual({ value: parsed.value });
          expect(Object.keys(Object(parsed.value))).toEqual(Object.keys(Object(value)));
        }
      }),
      { numRuns: times('JSON texts', 500, 3000) },
    );
  });

  it.each([
    ['{"a":1,"a":1}', '', 'a', '"a"'],
    ['{"a":{"b":[{"c":1},{"c":[],"d":":","c":{}}]}}', '', 'a.b[1].c', '"c"'],
    ['{"text":"x","te\\u0078t":"y"}', 'results[3]', 'results[3].text', '"te\\u0078t"'],
  ])('rejects a name that occurs twice in one object: %s', (text, path, field, name) => {
    expect(parse(text, path)).toMatchObject({
      code: 'bad-json',
      place: { field },
      expected: 'each field once',
      found: `the field ${name} twice in one object`,
    });
  });

  it.each<[string, string, unknown, readonly (readonly [string, string, string])[]]>([
    ['[[],[{"__proto__":1,"__proto__":2}]]', '[4]', [[], [null]], [['[4][1][0]', '[4][1][0].__proto__', '{"__proto__":1,"__proto__":2}']]],
    [
      '{"results":[{"a":1}, {"data":[{"b":[{"c":1,"c":2}],"d":1,"d":2},{"e":1.0}]} , {"f":1,"f":{"g":[1]}} ],"count":3}',
      '',
      { results: [{ a: 1 }, { data: [null, { e: 1 }] }, null], count: 3 },
      [
        ['results[1].data[0]', 'results[1].data[0].b[0].c', '{"b":[{"c":1,"c":2}],"d":1,"d":2}'],
        ['results[2]', 'results[2].f', '{"f":1,"f":{"g":[1]}}'],
      ],
    ],
    ['[{"data":[{"a":1,"a":2}, 3],"b":1,"b":2},4]', '', [null, 4], [['[0]', '[0].b', '{"data":[{"a":1,"a":2}, 3],"b":1,"b":2}']]],
  ])('leaves out only the items that have a name twice: %s', (text, path, value, lost) => {
    const parsed = parse(text, path);
    expect(parsed).toMatchObject({ value });
    if ('kind' in parsed) return;
    expect([...(parsed.lost ?? [])].map(([item, error]) => [item, error.place.field, error.item])).toEqual(lost);
  });

  it('finds all of many items with a name twice in one pass', () => {
    const page = JSON.stringify({ results: Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'a' })) });
    const parsed = parse(page.replaceAll('"text":"a"', '"text":"a","text":"b"'));
    expect('lost' in parsed && parsed.lost?.size).toBe(20_000);
  });

  it('rejects a number only if it is not an integer and would be rounded to one', () => {
    const decimals = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 30 }), fc.integer({ min: -30, max: 20 }));
    fc.assert(
      fc.property(decimals, ([digits, places, exponent]) => {
        const all = digits.toString().padStart(places + 1, '0');
        const text = `${all.slice(0, all.length - places)}${places === 0 ? '' : `.${all.slice(-places)}`}${exponent === 0 ? '' : `e${exponent}`}`;
        const shift = exponent - places;
        const isInteger = shift >= 0 || digits % 10n ** BigInt(-shift) === 0n;
        const parsed = parse(`{"a":[0.5,{"id":${text}}]}`);
        if (!isInteger && Number.isInteger(Number(text)))
          expect(parsed).toMatchObject({ code: 'bad-field', place: { field: 'a[1].id' }, found: expect.stringContaining('round') });
        else expect(parsed).toEqual({ value: { a: [0.5, { id: Number(text) }] } });
      }),
      { numRuns: times('numbers', 500, 2000) },
    );
  });

  it('parses long and deeply nested texts, also with repeated names', () => {
    const long = JSON.stringify('\\"'.repeat(1_000_000));
    expect(parse(`{"a":${long},"b":0.5}`)).toHaveProperty('value');
    expect(parse(`{"a":${long},"a":${long}}`)).toMatchObject({ code: 'bad-json', place: { field: 'a' } });
    const deep = `${'[{"a":'.repeat(2000)}1${'}]'.repeat(2000)}`;
    expect(parse(deep)).toHaveProperty('value');
    const parsed = parse(`[${deep},{"a":1,"a":2}]`);
    expect('lost' in parsed && [...(parsed.lost ?? [])]).toMatchObject([['[1]', { code: 'bad-json', place: { field: '[1].a' } }]]);
  });
});
