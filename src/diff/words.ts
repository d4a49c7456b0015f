import type { Token } from './tokens.ts';

const IN_WORD = /^[\p{L}\p{N}\p{M}_]/u;
/** Scripts without spaces between words: a text may be cut at any place. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}ー]/u;
const DIGIT = /^\p{Nd}/u;

export function isInWord(tokens: readonly Token[], at: number): boolean {
  if (isPart(tokens[at])) return true;
  // don't, l’heure
  return isApostrophe(tokens[at]) && isPart(tokens[at - 1]) && isPart(tokens[at + 1]);
}

function isApostrophe(token: Token | undefined): boolean {
  return token?.text === "'" || token?.text === '’';
}

function isPart(token: Token | undefined): boolean {
  if (token === undefined) return false;
  const code = token.text.charCodeAt(0);
  // every token of a text is looked at several times, and most are ASCII
  return code < 0x80 ? isAsciiWord(code) : IN_WORD.test(token.text) && !UNSPACED.test(token.text);
}

/** Whether an ASCII character is a letter, a digit or `_`. */
function isAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}

export function isDigit({ text }: Token): boolean {
  return DIGIT.test(text);
}

/** Whether a token belongs to a script without spaces. */
export function isUnspaced({ text }: Token): boolean {
  return UNSPACED.test(text);
}

/** Whether the position before the token `at` is inside a word. */
export function cutsWord(tokens: readonly Token[], at: number): boolean {
  return isInWord(tokens, at - 1) && isInWord(tokens, at);
}

/** Whether tokens are the middle of a word that begins before them and ends after them. */
export function isMidWord(tokens: readonly Token[], start: number, end: number): boolean {
  for (let at = start; at <= end; at += 1) if (!cutsWord(tokens, at)) return false;
  return true;
}

/** Rates how natural it is to cut a text at a position; higher is better. */
export function cutScore(tokens: readonly Token[], at: number): number {
  const [before, after] = [tokens[at - 1], tokens[at]];
  if (before === undefined || after === undefined) return 6;
  if (before.text === '\n' || after.text === '\n') return before.text === after.text ? 5 : 4;
  const [isSpaceBefore, isSpaceAfter] = [/^\s/.test(before.text), /^\s/.test(after.text)];
  if (isSpaceBefore || isSpaceAfter) return isSpaceAfter && /^[.!?。！？]/.test(before.text) ? 3 : 2;
  return cutsWord(tokens, at) ? 0 : 1;
}

const SPACE = /^[^\S\n]/;

/** Returns words and single characters as tokens, with the start and end of each. Spaces are left out. */
export function wordsOf(tokens: readonly Token[]): { readonly words: Token[]; readonly starts: number[]; readonly ends: number[] } {
  const words: Token[] = [];
  const [starts, ends]: [number[], number[]] = [[], []];
  for (let start = 0, end = 0; start < tokens.length; start = end) {
    end = start + 1;
    while (cutsWord(tokens, end)) end += 1;
    const word = tokens.slice(start, end);
    if (SPACE.test(word[0]?.text ?? '')) continue;
    words.push({ text: word.map((token) => token.text).join(''), entity: word[0]?.entity });
    starts.push(start);
    ends.push(end);
  }
  return { words, starts, ends };
}
