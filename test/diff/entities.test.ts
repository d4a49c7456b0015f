import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Entity, entitiesIn, type MentionForm } from '../../src/diff/entities.ts';
import { times } from '../support/proof.ts';

interface Cases {
  readonly mentions: readonly (readonly [string, readonly string[]])[];
  readonly hashtags: readonly (readonly [string, readonly string[]])[];
  readonly places: readonly (readonly [string, Entity['kind'], readonly (readonly [number, number])[]])[];
}

const CASES: Cases = JSON.parse(readFileSync(new URL('twitter-text.json', import.meta.url), 'utf8'));
const of = (kind: Entity['kind'], text: string) => entitiesIn(text, 'name').filter((entity) => entity.kind === kind);
const names = (kind: Entity['kind'], text: string) => of(kind, text).map((entity) => entity.name);

describe('the test cases of Twitter', () => {
  it.each(CASES.mentions)('give the mentions in %j', (text, expected) => expect(names('mention', text)).toEqual(expected));
  it.each(CASES.hashtags)('give the hashtags in %j', (text, expected) => expect(names('hashtag', text)).toEqual(expected));
  it.each(CASES.places)('give the positions in %j', (text, kind, expected) => {
    expect(of(kind, text).map(({ start, end }) => [start, end])).toEqual(expected);
  });
});

describe('entitiesIn', () => {
  it.each([
    ['dad @x, writes @y_1.', ['x', 'y_1'], []],
    ['(@x)"@y"', ['x', 'y'], []],
    ['https://medium.com/@x#y @z', ['z'], []],
    ['HTTPS://medium.com/@x', [], []],
    ['medium.com/@x|@y', ['y'], []],
    ['me@x.com @y@social.example @z', ['z'], []],
    ['@x.com', ['x'], []],
    ['https://t.co/#x?#y #z', [], ['z']],
    ['1️⃣#️⃣*️⃣ #1️⃣', [], []],
    ['#x️⃣ ❤️#y', [], ['x️⃣', 'y']],
    ['#a#b', [], []],
    ['# x #', [], []],
    ['@ x @', [], []],
    ['@é @1️⃣', [], []],
    [`#${'x'.repeat(280)} #${'y'.repeat(281)}`, [], ['x'.repeat(280)]],
  ])('finds the mentions and hashtags in %j', (text, mentions, hashtags) => {
    expect(names('mention', text)).toEqual(mentions);
    expect(names('hashtag', text)).toEqual(hashtags);
  });
});

const FORMS: readonly MentionForm[] = ['name', 'domain', 'address'];
const PIECES = '@ # #a a. -. https:// https://a.b/ #中 a@ éa rt@a #\u{20021} a.b/# #\u0301 @a\u0301 a:1 @a. @a.b @a@b. @a-'.split(' ');

const LENGTH = times('characters of a repeated text', 100_000, 1_000_000);

it.each(PIECES)('entitiesIn searches a long text to its end if it repeats %j', (piece) => {
  const text = `${piece.repeat(LENGTH / piece.length)} #x`;
  for (const form of FORMS) expect(entitiesIn(text, form).at(-1)?.name).toBe('x');
});
