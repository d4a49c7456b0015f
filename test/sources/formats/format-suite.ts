import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation, Profile } from '../../../src/contract/observation.ts';
import type { JsonObject } from '../../../src/sources/formats/format.ts';
import { FORMATS, type FormatName } from '../../../src/sources/formats/formats.ts';
import { errorIn, observationsIn, readText, readValues } from './reading.ts';
import { expectSound } from './sound.ts';

type Key = string | number;

/** A field of a profile that a format observes. */
interface Field {
  /** The position of its value in the fixture. */
  readonly keys: readonly Key[];
  /** The path that errors name. */
  readonly path: string;
  /** The observed value if the field is missing. */
  readonly absent?: '' | null;
}

/** The parameters of the suite for one format. */
export interface Example {
  readonly name: FormatName;
  /** The observations in the fixture. */
  readonly observations: readonly Observation[];
  readonly fields: { readonly [field in Exclude<keyof Profile, 'screen_name' | 'id'>]?: Field } & {
    readonly screen_name: Field;
    readonly id: Field;
  };
  /** Whether its snapshots contain their time. */
  readonly isTimed: boolean;
  /** Whether an invalid URL is rejected instead of left out. */
  readonly isStrict: boolean;
  /** Whether the handle may be missing if there is an id. */
  readonly hasOptionalHandle?: boolean;
}

/** Reads the fixture of a format: the documented shape, with invented values. */
export function fixture(name: FormatName): JsonObject {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'));
}

/** Copies a value with a replacement at some keys; undefined removes the key. */
export function changed(value: unknown, keys: readonly Key[], replacement: unknown): JsonObject {
  const copy = structuredClone(value);
  let holder: unknown = copy;
  for (const key of keys.slice(0, -1)) holder = Reflect.get(Object(holder), key);
  const last = keys.at(-1) ?? '';
  if (replacement === undefined) Reflect.deleteProperty(Object(holder), last);
  else Reflect.set(Object(holder), last, replacement);
  return Object(copy);
}

/** Tests the properties that every format must have. */
export function describeFormat({ name, observations, fields, isTimed, isStrict, hasOptionalHandle = false }: Example): void {
  const whole = fixture(name);
  const firstProfile = async (value: unknown) => observationsIn(await readValues([value]))[0]?.profile;
  const [, ...texts] = Object.entries({ none: undefined, ...fields }).flatMap(([field, place]) =>
    place !== undefined && ['display_name', 'bio', 'location', 'website', 'profile_image_url'].includes(field)
      ? [[field, place] as const]
      : [],
  );

  describe(`the format ${name}`, () => {
    it('recognizes its fixture before any other format', () => {
      expect(FORMATS.find((format) => format.recognizes(whole))?.name).toBe(name);
    });

    it.each([undefined, name])('reads the expected observations from its fixture (from %s)', async (from) => {
      expect(observationsIn(await readValues([whole], { from }))).toEqual(observations);
    });

    it('reads an indented document and an array, with places', async () => {
      expect(observationsIn(await readText(JSON.stringify(whole, null, 2)))).toEqual(observations);
      const found = await readText(`[\n${JSON.stringify(whole)},\n${JSON.stringify(whole)}]`);
      expect(observationsIn(found)).toEqual([...observations, ...observations]);
      expect(found.at(-1)?.place).toMatchObject({ file: 'snapshots', line: 3, field: expect.stringMatching(/^\[1\]/) });
    });

    it.each(texts)('observes an empty %s as empty', async (field, { keys }) => {
      expect(await firstProfile(changed(whole, keys, ''))).toEqual({ ...observations[0]?.profile, [field]: '' });
    });

    it.each(texts)('observes %s as empty if it is null', async (field, { keys }) => {
      const empty = field === 'website' ? null : '';
      expect(await firstProfile(changed(whole, keys, null))).toEqual({ ...observations[0]?.profile, [field]: empty });
    });

    it.each(texts)('observes the right value if %s is missing', async (field, { keys, absent }) => {
      expect(await firstProfile(changed(whole, keys, undefined))).toEqual({ ...observations[0]?.profile, [field]: absent });
    });

    it.each(texts)('removes NUL and lone surrogates from %s', async (field, { keys }) => {
      const url = 'https://images.example.org/\ud800a\0';
      const profile = await firstProfile(changed(whole, keys, url));
      expect(profile).toMatchObject({ [field]: 'https://images.example.org/\ufffda' });
    });

    const dated = fields.account_creation_date;
    it.runIf(dated !== undefined).each([
      ['2010-11-29T21:18:15Z', '2010-11-29T21:18:15Z'],
      ['2010-11-29T21:18:15.987654Z', '2010-11-29T21:18:15Z'],
      ['2010-11-29T23:18:15+02:00', '2010-11-29T21:18:15Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
      [null, null],
      ['', null],
      [undefined, undefined],
    ])('reads the creation date %j as %j', async (date, expected) => {
      expect(await firstProfile(changed(whole, dated?.keys ?? [], date))).toMatchObject({ account_creation_date: expected });
    });

    it
      .runIf(dated !== undefined)
      .each([
        'yesterday',
        '2011-02-29T00:00:00Z',
        '0000-12-31T00:00:00Z',
        '0001-01-01T00:00:00+01:00',
        '9999-12-31T23:59:59-00:01',
        '10000-01-01T00:00:00Z',
        1291065495,
      ])('rejects the creation date %j', async (date) => {
      expect(errorsOf(await readValues([changed(whole, dated?.keys ?? [], date)]))).toMatchObject([{ place: { field: dated?.path } }]);
    });

    it.each(Object.values(fields))('rejects a value of another type and names the path $path', async ({ keys, path }) => {
      for (const value of [7.5, {}, [], ['x']]) {
        const found = await readValues([whole, changed(whole, keys, value)]);
        expect(found.slice(0, observations.length).map(({ kind }) => kind)).toEqual(observations.map(() => 'observation'));
        expect(errorsOf(found), JSON.stringify(value)).toMatchObject([
          { code: 'bad-field', place: { file: 'snapshots', line: 2, field: path } },
        ]);
      }
    });

    const missing = hasOptionalHandle ? [] : [undefined];
    it.each([...missing, null, '', 'a\0b', 'a\nb', '\ud800', 7])('rejects the handle %j', async (handle) => {
      const { keys, path } = fields.screen_name;
      const inputErrors = errorsOf(await readValues([changed(whole, keys, handle)]));
      // without its handle a snapshot may not even be recognized
      expect(inputErrors).toMatchObject([{ code: 'bad-field' }]);
      if (handle !== undefined) expect(inputErrors).toMatchObject([{ place: { field: path } }]);
    });

    it('rejects a numeric id that lost digits', async () => {
      const inputErrors = errorsOf(await readValues([changed(whole, fields.id.keys, 878301212025782300)]));
      expect(inputErrors).toMatchObject([{ place: { field: fields.id.path } }]);
    });

    it.runIf(fields.profile_image_url !== undefined)('leaves out or rejects an image with an invalid URL', async () => {
      for (const url of ['/avatars/original/missing.png', 'javascript:alert(1)', 'data:image/png;base64,', 'https://a.example/\u0001']) {
        const value = changed(whole, fields.profile_image_url?.keys ?? [], url);
        if (isStrict) expect(errorIn(await readValues([value]))).toMatchObject({ place: { field: 'profile_image_url' } });
        else expect(await firstProfile(value)).toEqual({ ...observations[0]?.profile, profile_image_url: undefined });
      }
    });

    it(isTimed ? 'reads the time of the snapshot' : 'requires --observed-at', async () => {
      const found = await readValues([whole], { observedAt: undefined });
      if (isTimed) expect(observationsIn(found)).toEqual(observations);
      else expect(errorIn(found).hint).toContain('--observed-at 2017-09-19T20:47:28Z');
    });

    it('reads or rejects a text of ten million characters', async () => {
      const long = 'a&#x26;<b>'.repeat(1_000_000);
      expectSound(await readValues([changed(whole, fields.bio?.keys ?? [], long)]));
    });

    it('gives an observation or an input error for any values of its fields', async () => {
      const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constantFrom(1e308, -0, '\ud800', '\0', '__proto__'));
      const change = fc.record({ field: fc.constantFrom(...Object.values(fields)), value: anything });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
          const value = changes.reduce((copy: JsonObject, { field, value }) => changed(copy, field.keys, value), whole);
          for (const from of [undefined, name]) {
            const found = await readValues([value], { from });
            expect(found.length).toBeGreaterThan(0);
            expectSound(found);
          }
        }),
      );
    });
  });
}

function errorsOf(found: Awaited<ReturnType<typeof readValues>>) {
  return found.filter((item) => item.kind === 'error');
}
