import type { JsonObject } from '../../../src/sources/formats/format.ts';

/** A number from 0 to 1. */
type Chance = () => number;

/** JSON texts of values that fields do not expect. Some exist only as text. */
const VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e400',
  '-1e400',
  '878301212025782272',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83c\\udf3f"',
  '"a\\nb\\u007f"',
  '"\\u202e"',
  '"&amp;amp;&#0;&#xD800;&lt"',
  '"<p>a<br><b>b</p><table><a>"',
  '"https://"',
  '"https://t.co/AbCdEf12"',
  '"javascript:0"',
  '"/a.png"',
  '"handle.invalid"',
  '"a@b@c"',
  '"@"',
  '"0000-01-01T00:00:00Z"',
  '"0001-01-01T00:00:00+23:59"',
  '"1969-12-31T23:59:59.999Z"',
  '"2255-06-05T23:47:34.740992Z"',
  '"9999-12-31T23:59:59-23:59"',
  '"2023-02-30T00:00:00Z"',
  '"Mon Nov 31 21:18:15 +0000 2010"',
  '"Mon Nov 29 21:18:15 +9999 2010"',
  '"Mon Nov 29 21:18:15 +0000 9999"',
  '[]',
  '[[]]',
  '[null]',
  '[{}]',
  '{}',
  '{"__proto__":{"id":"1"}}',
  '{"constructor":{"prototype":7},"toString":7}',
  '{"length":4294967295,"0":{}}',
  '{"urls":[{"url":"https://t.co/AbCdEf12","expanded_url":null}]}',
] as const;

/** Keys that may change the detected format of a value. */
const KEYS = [
  '__proto__',
  'constructor',
  'observed_at',
  'screen_name',
  'username',
  'name',
  'acct',
  'did',
  'handle',
  'user',
  'users',
  'data',
  'includes',
  'meta',
  'account',
  'accounts',
  'profiles',
  'delete',
  'retweeted_status',
  'quoted_status',
] as const;

/** Returns one line with a corrupted snapshot: changed values, keys or text. It has at most a few thousand characters. */
export function hostileLine(snapshots: readonly JsonObject[], random: Chance): string {
  let text = JSON.stringify(pick(snapshots, random));
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1) text = tampered(text, snapshots, random);
  return text.replaceAll('\n', ' ');
}

function tampered(text: string, snapshots: readonly JsonObject[], random: Chance): string {
  const kind = random();
  if (kind < 0.55) return withValueReplaced(text, pick(VALUES, random), random);
  if (kind < 0.65) return withValueReplaced(text, JSON.stringify(pick(snapshots, random)).slice(0, 3000), random);
  if (kind < 0.8) return text.replace('{', `{${JSON.stringify(pick(KEYS, random))}:${pick(VALUES, random)},`);
  if (kind < 0.88) return withoutKey(text, random);
  if (kind < 0.92) return `[${text},${pick(VALUES, random)}]`;
  if (kind < 0.94) return nested(text, random);
  return withTextChanged(text, random);
}

/** Replaces the text after a random colon, up to the possible end of a simple value. */
function withValueReplaced(text: string, value: string, random: Chance): string {
  const fields = [...text.matchAll(/":("(?:[^"\\]|\\.)*"|[^,"[\]{}]+|\[\]|\{\})/g)];
  const field = fields[Math.floor(random() * fields.length)];
  return field === undefined ? text : `${text.slice(0, field.index + 2)}${value}${text.slice(field.index + field[0].length)}`;
}

function withoutKey(text: string, random: Chance): string {
  const keys = [...text.matchAll(/"[^"\\]*":/g)];
  const key = keys[Math.floor(random() * keys.length)];
  return key === undefined ? text : `${text.slice(0, key.index)}"_":${text.slice(key.index + key[0].length)}`;
}

function nested(text: string, random: Chance): string {
  const depth = Math.floor(random() * 50);
  const [open, close] = random() < 0.5 ? ['[', ']'] : [`{${JSON.stringify(pick(KEYS, random))}:`, '}'];
  return open.repeat(depth) + text + close.repeat(depth);
}

function withTextChanged(text: string, random: Chance): string {
  const place = Math.floor(random() * text.length);
  const junk = pick(['"', '{', '}', '[', ']', ',', ':', '\\', '\\u', '\u2028', '\0', '\u00e9', ' '], random);
  return random() < 0.3 ? text.slice(0, place) : text.slice(0, place) + junk + text.slice(place + Math.floor(random() * 3));
}

function pick<T>(list: readonly [T, ...T[]] | readonly T[], random: Chance): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('an empty list');
  return found;
}
