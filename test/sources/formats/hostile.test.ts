import { expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../src/sources/formats/all-formats.ts';
import type { JsonObject } from '../../../src/sources/formats/format.ts';
import { times } from '../../support/proof.ts';
import { chance } from '../../whole/chance.ts';
import { fixture } from './format-suite.ts';
import { readText } from './reading.ts';
import { expectSound } from './sound.ts';

/** The total number of generated snapshots. */
const SNAPSHOTS = times('broken snapshots', 2_000, 100_000);
const SEED = 20240229;
const AT_ONCE = 250;

/** Matches values that correctly contain no snapshot: a notice, an empty page or list. */
const NO_SNAPSHOT = /"(?:delete|users|accounts|profiles|meta)":/;

/** JSON texts of values that fields do not expect. Some exist only as text. */
const VALUES = [
  ...'null true false 0 -1 -0 1.5 1e400 -1e400 878301212025782272 9007199254740993 [] [[]] [null] [{}] {}'.split(' '),
  ...String.raw`"" "\u0000" "a\u0000b" "\ud800" "\udc00\ud800" "\ud83c\udf3f" "a\nb\u007f" "\u202e" "&amp;amp;&#0;&#xD800;&lt"`.split(' '),
  ...'"https://" "https://t.co/AbCdEf12" "javascript:0" "/a.png" "handle.invalid" "a@b@c" "@"'.split(' '),
  ...'"0000-01-01T00:00:00Z" "0001-01-01T00:00:00+23:59" "1969-12-31T23:59:59.999Z" "2255-06-05T23:47:34.740992Z"'.split(' '),
  ...'"9999-12-31T23:59:59-23:59" "2023-02-30T00:00:00Z"'.split(' '),
  ...['Nov 31 21:18:15 +0000 2010', 'Nov 29 21:18:15 +9999 2010', 'Nov 29 21:18:15 +0000 9999'].map((date) => `"Mon ${date}"`),
  ...['" "', '"<p>a<br><b>b</p><table><a>"', '{"__proto__":{"id":"1"}}', '{"constructor":{"prototype":7},"toString":7}'],
  ...['{"length":4294967295,"0":{}}', '{"urls":[{"url":"https://t.co/AbCdEf12","expanded_url":null}]}'],
];

/** Keys that may change the detected format of a value. */
const KEYS = (
  '__proto__ constructor observed_at screen_name username name acct did handle user users data includes meta account accounts ' +
  'profiles delete retweeted_status quoted_status'
).split(' ');

/** Returns one line with a corrupted snapshot: changed values, keys or text. It has at most a few thousand characters. */
function hostileLine(snapshots: readonly JsonObject[], random: () => number): string {
  let text = JSON.stringify(pick(snapshots, random));
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1) text = tampered(text, snapshots, random);
  return text.replaceAll('\n', ' ');
}

function tampered(text: string, snapshots: readonly JsonObject[], random: () => number): string {
  const kind = random();
  if (kind < 0.55) return withValueReplaced(text, pick(VALUES, random), random);
  if (kind < 0.65) return withValueReplaced(text, JSON.stringify(pick(snapshots, random)).slice(0, 3000), random);
  if (kind < 0.9) return text.replace('{', `{${JSON.stringify(pick(KEYS, random))}:${pick(VALUES, random)},`);
  return withTextChanged(text, random);
}

/** Replaces the text after a random colon, up to the possible end of a simple value. */
function withValueReplaced(text: string, value: string, random: () => number): string {
  const fields = [...text.matchAll(/":("(?:[^"\\]|\\.)*"|[^,"[\]{}]+|\[\]|\{\})/g)];
  const field = fields[Math.floor(random() * fields.length)];
  return field === undefined ? text : `${text.slice(0, field.index + 2)}${value}${text.slice(field.index + field[0].length)}`;
}

function withTextChanged(text: string, random: () => number): string {
  const place = Math.floor(random() * text.length);
  const junk = pick(['"', '{', '}', '[', ']', ',', ':', '\\', '\\u', '\u2028', '\0', '\u00e9', ' '], random);
  return random() < 0.3 ? text.slice(0, place) : text.slice(0, place) + junk + text.slice(place + Math.floor(random() * 3));
}

function pick<T>(list: readonly T[], random: () => number): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('an empty list');
  return found;
}

it.each([undefined, ...FORMAT_NAMES])('hostile snapshots give one observation or input error each (from %s)', async (from) => {
  const random = chance(SEED);
  const snapshots = FORMAT_NAMES.map(fixture);
  const every = SNAPSHOTS / (FORMAT_NAMES.length + 1);
  let observed = 0;
  for (let done = 0; done < every; done += AT_ONCE) {
    // the first line shows that each line contains one value
    const lines = ['{"first":1}', ...Array.from({ length: AT_ONCE }, () => hostileLine(snapshots, random))];
    const found = await readText(lines.join('\n'), { from, unescape: true });
    expectSound(found);
    const reportedLines = new Set(found.map(({ place }) => place.line));
    const withoutResult = lines.filter(
      (line, index) => !reportedLines.has(index + 1) && !NO_SNAPSHOT.test(line) && !/^[[\]\s]*$/.test(line),
    );
    expect(withoutResult).toEqual([]);
    observed += found.filter(({ kind }) => kind === 'observation').length;
  }
  // some snapshots must still be valid, or the test would check nothing
  expect(observed).toBeGreaterThan(0);
});
