import { expect, it } from 'vitest';
import { segmentsOf } from '../../src/diff/segments.ts';

/** Changes as a reader is to see them: [-removed-] and {+added+} text. The last ones are long edits of odd texts. */
// cspell:disable
const MARKED = [
  "I [-d-]{+w+}on't know",
  '[-l’heure-]{+l’homme+} bleu[-e-]',
  'born [-2019-]{+2020+}',
  'tel 555-[-0199-]{+0123+}',
  '[-東京-]{+大阪+}在住の[-エンジニア-]{+デザイナー+}',
  'Hello.{+ Old friend.+} New here.',
  'one\n{+\nthree\n+}\ntwo',
  'a b {+b +}c',
  'news and {+reviews and +}views',
  'snake_case{+s+}',
  'Zoo [-az AZ 09-]{+za ZA 90+}',
  '[-writer at paper-]{+editor at journal+}',
  '[-the cat-]{+a cow+} and the dog of [-a king-]{+an aunt+}',
  '@jack [-and-]{+or+} @jill',
  'Go!{+ Wait!+} Stop',
  'coffee, {+milk, +}tea',
  'banana{+na+}',
  '[-you-]{+we+} were long [-here-]{+gone+}',
  '[-you-]{+we+} and me or [-them-]{+us+}',
  '[-x-]{+z+} 日本語です [-y-]{+w+}',
  '[-x-]{+z+} 日 [-y-]{+w+}',
  '[-one-]{+six+}|[-two-]{+ten+}',
  'A1Z9az[-_-]{+-+}',
  "rock'n'roll{+ing+}",
  '[-#tag-]{+#tags+} and 7',
  '12{+3+} apples',
  'end[-.-]{+?+} Start',
  'a\n{+\n+}b',
  'word{+y+} word[-y-]',
  '[-9BCA | カナー z_-]{+9BCAnaïveカナー Zz_1||B+}',
  "[-2020_don't-]{+2020#tagsdon't+} • data, 東京, [-Zoo #tag-]{+Zoowrite#tag+}",
  "'. 👍! to[-ffee-]  snake_eas[-e-] | AZ, ",
  '0.\n [-2020 | -]{+2020Zoo+}',
  "[-l’heure_don't_-]{+cl’heureZoo19_+} ",
  '[-19--]{+editor • 0+}|[-1 , 1999, @jack | -]{+é\n+}',
  'edition [-é-]{+add+}。é wordsmith[-。-]{+editor+}',
  'The [-Post -]{+Post9._é+}swordfish_{+Zoo+}',
  'AB{+Zz+} été [-z--]{+é👍🏽+}|-AZ! naïve_',
  '-\n\nd[-a-]ters | e[-te-] | ',
  '[-news 東_ • 09 • 19_aab. she/her é!-]{+ az。👍🏽 snake_case。東京 東京 •+} ',
  'Writer, 👍, ’[-\naddheure-]{+heカナーure+}-ไท[-ย-] • ',
  "naïve-_' | [-she-]{+etehe+}/her_2[-020-]{+AZ0+}! #tag ",
  'éc[- -]{+é+}banana [-heure 👍  ananas-]{+dad 👍datersananas+}\n\n',
  'Writer sword{+andaz+}fish[-.-] dont\n\nbanana\n\n',
];
// cspell:enable
const MARKS = { kept: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;

it.each(MARKED)('a change is shown as %j', (marked) => {
  const before = marked.replaceAll(/\{\+.*?\+\}/gs, '').replaceAll(/\[-(.*?)-\]/gs, '$1');
  const after = marked.replaceAll(/\[-.*?-\]/gs, '').replaceAll(/\{\+(.*?)\+\}/gs, '$1');
  expect(
    segmentsOf(before, after)
      .map(({ kind, text }) => MARKS[kind].join(text))
      .join(''),
  ).toBe(marked);
});
