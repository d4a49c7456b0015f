import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Observation, Profile } from '../../../src/contract/snapshots/observation.ts';
import { FORMATS, type FormatName } from '../../../src/sources/formats/all-formats.ts';
import type { JsonObject } from '../../../src/sources/formats/format.ts';
import { namesIn } from '../../../src/sources/rejects/redact-removed.ts';
import { errorIn, NOON, observationsIn, profileOf, readText, readValues } from './reading.ts';
import { expectSound } from './sound.ts';

type Key = string | number;
type Text = 'display_name' | 'bio' | 'location' | 'website' | 'profile_image_url';

/** The parameters of the suite for one format. */
export interface Example {
  readonly name: FormatName;
  /** The observations in the fixture. */
  readonly observations: readonly Observation[];
  /** The paths of the fields that a format observes, as errors name them. */
  readonly fields: {
    readonly screen_name: string;
    readonly id: string;
    readonly verified?: string;
    readonly account_creation_date: string;
  };
  readonly texts: { readonly [field in Text]?: string };
  /** The observed values of fields that are missing. */
  readonly absent?: { readonly [field in Text]?: '' | null };
  /** Returns the position of a value in the fixture, if it is not at its path. */
  readonly keysOf?: (path: readonly string[]) => readonly Key[];
  /** Whether its snapshots contain their time. */
  readonly isTimed?: boolean;
  /** Whether an invalid URL is rejected instead of left out. */
  readonly isStrict?: boolean;
  /** Whether the handle may be missing if there is an id. */
  readonly hasOptionalHandle?: boolean;
}

/** The account in most fixtures. */
export const MIRA = {
  screen_name: 'mira_okonjo',
  id: '878301212025782272',
  display_name: 'Mira Okonjo 🌿',
  location: 'Port Vell',
  website: 'https://maps.example.org/mira',
  verified: true,
  profile_image_url: 'https://images.example.org/mira.png',
  account_creation_date: '2010-11-29T21:18:15Z',
};

/** The observation of a profile. */
export function observation(profile: Profile, more: Partial<Observation> = {}): Observation {
  return { observed_at: NOON, web_archive_url: null, former_names: [], profile, ...more };
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
export function describeFormat(example: Example): void {
  const { name, observations, fields, texts, absent = {}, isTimed = false, isStrict = false, hasOptionalHandle = false } = example;
  const whole = fixture(name);
  const profile = observations[0]?.profile;
  const keysOf = (path: string) => example.keysOf?.(path.split('.')) ?? path.split('.');
  /** The fixture with another value at a path. */
  const having = (path: string, value: unknown) => changed(whole, keysOf(path), value);

  describe(`the format ${name}`, () => {
    it('recognizes its fixture before any other format', () => {
      expect(FORMATS.find((format) => format.recognizes(whole))?.name).toBe(name);
    });

    it('shows the handles and stable ids of its accounts also in a damaged text', () => {
      const { handles, stableIds } = namesIn(JSON.stringify(whole).slice(0, -1));
      const parts = (id: string | undefined) => (id === undefined ? [] : [id, id.replace(/@.*/, '')]);
      for (const { profile, former_names } of observations) {
        expect(handles).toEqual(
          expect.arrayContaining([...former_names, ...(profile.screen_name === undefined ? [] : [profile.screen_name])]),
        );
        expect(stableIds.some((id) => parts(profile.id).includes(id))).toBe(true);
      }
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

    it.each(Object.entries(texts))(
      'observes %s that is empty, null or missing, and removes NUL and lone surrogates',
      async (field, path) => {
        const seenWith = (value: unknown) => profileOf(having(path, value));
        expect(await seenWith('')).toEqual({ ...profile, [field]: '' });
        expect(await seenWith(null)).toEqual({ ...profile, [field]: field === 'website' ? null : '' });
        expect(await seenWith(undefined)).toEqual({ ...profile, [field]: absent[field as Text] });
        expect(await seenWith('https://images.example.org/\ud800a\0')).toMatchObject({ [field]: 'https://images.example.org/\ufffda' });
      },
    );

    it.each([
      ['2010-11-29T21:18:15Z', '2010-11-29T21:18:15Z'],
      ['2010-11-29T21:18:15.987654Z', '2010-11-29T21:18:15Z'],
      ['2010-11-29T23:18:15+02:00', '2010-11-29T21:18:15Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
      [null, null],
      ['', null],
      [undefined, undefined],
    ])('reads the creation date %j as %j', async (date, expected) => {
      expect(await profileOf(having(fields.account_creation_date, date))).toMatchObject({ account_creation_date: expected });
    });

    it.each([
      'yesterday',
      '2011-02-29T00:00:00Z',
      '0000-12-31T00:00:00Z',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-00:01',
      '10000-01-01T00:00:00Z',
      1291065495,
    ])('rejects the creation date %j', async (date) => {
      const path = fields.account_creation_date;
      expect(errorsOf(await readValues([having(path, date)]))).toMatchObject([{ place: { field: path } }]);
    });

    it.each(Object.values({ ...fields, ...texts }))('rejects a value of another type and names the path %s', async (path) => {
      for (const value of [7.5, {}, [], ['x']]) {
        const found = await readValues([whole, having(path, value)]);
        expect(found.slice(0, observations.length).map(({ kind }) => kind)).toEqual(observations.map(() => 'observation'));
        expect(errorsOf(found), JSON.stringify(value)).toMatchObject([
          { code: 'bad-field', place: { file: 'snapshots', line: 2, field: path } },
        ]);
      }
    });

    const missing = hasOptionalHandle ? [] : [undefined];
    it.each([...missing, null, '', 'a\0b', 'a\nb', '\ud800', 7])('rejects the handle %j', async (handle) => {
      const inputErrors = errorsOf(await readValues([having(fields.screen_name, handle)]));
      // without its handle a snapshot may not even be recognized
      expect(inputErrors).toMatchObject([{ code: 'bad-field', ...(handle !== undefined && { place: { field: fields.screen_name } }) }]);
    });

    it('rejects a numeric id that lost digits', async () => {
      expect(errorsOf(await readValues([having(fields.id, 878301212025782300)]))).toMatchObject([{ place: { field: fields.id } }]);
    });

    it('leaves out or rejects an image with an invalid URL', async () => {
      for (const url of ['/avatars/original/missing.png', 'javascript:alert(1)', 'data:image/png;base64,', 'https://a.example/\u0001']) {
        const value = having(texts.profile_image_url ?? '', url);
        if (isStrict) expect(errorIn(await readValues([value]))).toMatchObject({ place: { field: 'profile_image_url' } });
        else expect(await profileOf(value)).toEqual({ ...profile, profile_image_url: undefined });
      }
    });

    it(isTimed ? 'reads the time of the snapshot' : 'requires --observed-at', async () => {
      const found = await readValues([whole], { observedAt: undefined });
      if (isTimed) expect(observationsIn(found)).toEqual(observations);
      else expect(errorIn(found).hint).toContain('--observed-at 2017-09-19T20:47:28Z');
    });

    it.each([undefined, name])('reads observed_at beside its own fields, before any other time (from %s)', async (from) => {
      const found = await readValues([{ ...whole, observed_at: '2024-05-01T13:00:00Z' }], { from });
      const timed = observations.map((one) => ({ ...one, observed_at: NOON + 3_600_000_000 }));
      expect(observationsIn(found)).toEqual(timed);
      expect(errorsOf(await readValues([{ ...whole, observed_at: 'yesterday' }], { from }))).toMatchObject([
        { code: 'bad-field', place: { field: 'observed_at' } },
      ]);
    });

    it('reads a text of 10,000 characters, and rejects the snapshot of a longer one', async () => {
      for (const [field, path] of Object.entries(texts)) {
        const start = field === 'profile_image_url' || field === 'website' ? 'https://x.example/' : '';
        expect(errorsOf(await readValues([having(path, start.padEnd(10_000, 'x'))])), field).toEqual([]);
        expect(errorsOf(await readValues([having(path, start.padEnd(10_001, 'x'))])), field).toMatchObject([
          { code: 'bad-field', place: { field: expect.stringContaining(field) }, expected: 'at most 10000 characters', found: '10001' },
        ]);
      }
    });

    it('reads or rejects a text of a million characters', async () => {
      expectSound(await readValues([having(texts.bio ?? '', 'a&#x26;<b>'.repeat(100_000))]));
    });
  });
}

function errorsOf(found: Awaited<ReturnType<typeof readValues>>) {
  return found.filter((item) => item.kind === 'error');
}
