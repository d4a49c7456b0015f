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
  /** Where its value stands in the fixture. */
  readonly keys: readonly Key[];
  /** How errors call that. */
  readonly path: string;
  /** What a snapshot says of it that does not have it. */
  readonly absent?: '' | null;
}

/** What the suite has to know of a format. */
export interface Example {
  readonly name: FormatName;
  /** What the fixture says. */
  readonly says: readonly Observation[];
  readonly fields: { readonly [field in Exclude<keyof Profile, 'screen_name' | 'id'>]?: Field } & {
    readonly screen_name: Field;
    readonly id: Field;
  };
  /** Whether its snapshots tell their time. */
  readonly isTimed: boolean;
  /** Whether a URL that is none is refused instead of being left out. */
  readonly isStrict: boolean;
}

/** The fixture of a format: the documented shape, with invented values. */
export function fixture(name: FormatName): JsonObject {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'));
}

/** A copy of a value in which another stands at some keys; undefined: none. */
export function changed(value: unknown, keys: readonly Key[], replacement: unknown): JsonObject {
  const copy = structuredClone(value);
  let holder: unknown = copy;
  for (const key of keys.slice(0, -1)) holder = Reflect.get(Object(holder), key);
  const last = keys.at(-1) ?? '';
  if (replacement === undefined) Reflect.deleteProperty(Object(holder), last);
  else Reflect.set(Object(holder), last, replacement);
  return Object(copy);
}

/** What every format has to hold to. */
export function describeFormat({ name, says, fields, isTimed, isStrict }: Example): void {
  const whole = fixture(name);
  const firstProfile = async (value: unknown) => observationsIn(await readValues([value]))[0]?.profile;
  const [, ...texts] = Object.entries({ none: undefined, ...fields }).flatMap(([field, place]) =>
    place !== undefined && ['display_name', 'bio', 'location', 'website', 'profile_image_url'].includes(field)
      ? [[field, place] as const]
      : [],
  );

  describe(`the format ${name}`, () => {
    it('is recognised before any other', () => {
      expect(FORMATS.find((format) => format.recognizes(whole))?.name).toBe(name);
    });

    it.each([undefined, name])('says what its fixture says (from %s)', async (from) => {
      expect(observationsIn(await readValues([whole], { from }))).toEqual(says);
    });

    it('is read from an indented document and from an array, with places', async () => {
      expect(observationsIn(await readText(JSON.stringify(whole, null, 2)))).toEqual(says);
      const found = await readText(`[\n${JSON.stringify(whole)},\n${JSON.stringify(whole)}]`);
      expect(observationsIn(found)).toEqual([...says, ...says]);
      expect(found.at(-1)?.place).toMatchObject({ file: 'snapshots', line: 3, field: expect.stringMatching(/^\[1\]/) });
    });

    it.each(texts)('observes %s as empty where it is empty', async (field, { keys }) => {
      expect(await firstProfile(changed(whole, keys, ''))).toEqual({ ...says[0]?.profile, [field]: '' });
    });

    it.each(texts)('observes %s as empty where it is null', async (field, { keys }) => {
      const empty = field === 'website' ? null : '';
      expect(await firstProfile(changed(whole, keys, null))).toEqual({ ...says[0]?.profile, [field]: empty });
    });

    it.each(texts)('knows what it means that %s is absent', async (field, { keys, absent }) => {
      expect(await firstProfile(changed(whole, keys, undefined))).toEqual({ ...says[0]?.profile, [field]: absent });
    });

    it.each(texts)('takes NUL and lone surrogates out of %s', async (field, { keys }) => {
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
    ])('takes the creation date %j for %j', async (date, expected) => {
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
      ])('refuses the creation date %j', async (date) => {
      expect(flawsOf(await readValues([changed(whole, dated?.keys ?? [], date)]))).toMatchObject([{ place: { field: dated?.path } }]);
    });

    it.each(Object.values(fields))('refuses a value of another kind, and says where: $path', async ({ keys, path }) => {
      for (const value of [7.5, {}, [], ['x']]) {
        const found = await readValues([whole, changed(whole, keys, value)]);
        expect(found.slice(0, says.length).map(({ kind }) => kind)).toEqual(says.map(() => 'observation'));
        expect(flawsOf(found), JSON.stringify(value)).toMatchObject([
          { code: 'bad-field', place: { file: 'snapshots', line: 2, field: path } },
        ]);
      }
    });

    it.each([undefined, null, '', 'a\0b', 'a\nb', '\ud800', 7])('refuses %j for a handle', async (handle) => {
      const { keys, path } = fields.screen_name;
      const inputErrors = flawsOf(await readValues([changed(whole, keys, handle)]));
      // without its handle a snapshot may not even be recognised
      expect(inputErrors).toMatchObject([{ code: 'bad-field' }]);
      if (handle !== undefined) expect(inputErrors).toMatchObject([{ place: { field: path } }]);
    });

    it('takes no id that lost digits', async () => {
      const inputErrors = flawsOf(await readValues([changed(whole, fields.id.keys, 878301212025782300)]));
      expect(inputErrors).toMatchObject([{ place: { field: fields.id.path } }]);
    });

    it.runIf(fields.profile_image_url !== undefined)('leaves out an image whose URL is none, or refuses it', async () => {
      for (const url of ['/avatars/original/missing.png', 'javascript:alert(1)', 'data:image/png;base64,', 'https://a.example/\u0001']) {
        const value = changed(whole, fields.profile_image_url?.keys ?? [], url);
        if (isStrict) expect(errorIn(await readValues([value]))).toMatchObject({ place: { field: 'profile_image_url' } });
        else expect(await firstProfile(value)).toEqual({ ...says[0]?.profile, profile_image_url: undefined });
      }
    });

    it(isTimed ? 'tells its time' : 'asks for --observed-at', async () => {
      const found = await readValues([whole], { observedAt: undefined });
      if (isTimed) expect(observationsIn(found)).toEqual(says);
      else expect(errorIn(found).hint).toContain('--observed-at 2017-09-19T20:47:28Z');
    });

    it('reads a text of ten million characters, or refuses it', async () => {
      const long = 'a&#x26;<b>'.repeat(1_000_000);
      expectSound(await readValues([changed(whole, fields.bio?.keys ?? [], long)]));
    });

    it('gives an observation or a inputError, whatever stands in its fields', async () => {
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

function flawsOf(found: Awaited<ReturnType<typeof readValues>>) {
  return found.filter((item) => item.kind === 'error');
}
