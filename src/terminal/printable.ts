import { INVISIBLE } from '../contract/accounts/handle.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]/g;

/** Joiners, variation selectors and the tags of flags. After such characters they belong to a visible character. */
const PART = /\u200c|\u200d|[\ufe00-\ufe0f\u{e0020}-\u{e007f}]/u;
const BEFORE_PART =
  /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?|(?![\ufe00-\ufe0f])[\p{M}\p{Script=Arabic}\p{Script=Han}]|[\u{e0020}-\u{e007f}])$/u;
/** A digit in a box: a digit, a variation selector and the box. */
const DIGIT_IN_BOX = /[0-9#*]\ufe0f\u20e3/;
const TAG = /[\u{e0020}-\u{e007f}]/u;
const BEFORE_TAG = /\u{1f3f4}[\u{e0020}-\u{e007f}]*$/u;

/** Escapes control characters, which would move a terminal's cursor or change its colors, separators of lines and invisible characters. */
export function printable(text: string): string {
  return escapeControls(text).replace(INVISIBLE, (character, at: number, whole: string) =>
    DIGIT_IN_BOX.test(whole.slice(Math.max(0, at - 1), at + 2)) ||
    (PART.test(character) && (TAG.test(character) ? BEFORE_TAG : BEFORE_PART).test(whole.slice(Math.max(0, at - 16), at)))
      ? character
      : escaped(character),
  );
}

/** Escapes control characters only. The direction of the text must be isolated. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0)?.toString(16) ?? '';
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
