import { type Entity, entitiesIn, type MentionForm } from './entities.ts';

/** The unit of comparison: a grapheme, or a whole mention or hashtag. */
export interface Token {
  readonly text: string;
  readonly entity: Entity | undefined;
}

const GRAPHEMES = new Intl.Segmenter('en');
/** ASCII characters have the codes below this one. */
const ASCII_END = 0x80;
/** The token of each ASCII character. Most texts need no others. */
const ASCII_TOKENS: readonly Token[] = Array.from({ length: ASCII_END }, (_, code) => ({
  text: String.fromCharCode(code),
  entity: undefined,
}));

/** Converts line breaks to `\n`: `\r\n` and a lone `\r` look the same. */
export function withPlainBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** @param text with plain line breaks */
export function tokensOf(text: string, form: MentionForm): Token[] {
  const tokens: Token[] = [];
  for (const { text: chunk, entity } of chunksOf(text, form)) {
    if (entity !== undefined) tokens.push({ text: chunk, entity });
    else addGraphemes(tokens, chunk);
  }
  return tokens;
}

/** Splits a text into mentions, hashtags and the text between them. */
export function* chunksOf(text: string, form: MentionForm): Generator<Token> {
  let end = 0;
  for (const entity of entitiesIn(text, form)) {
    if (entity.start > end) yield { text: text.slice(end, entity.start), entity: undefined };
    yield { text: text.slice(entity.start, entity.end), entity };
    end = entity.end;
  }
  if (end < text.length) yield { text: text.slice(end), entity: undefined };
}

/**
 * Adds a token for each grapheme. Between two ASCII characters there is always a boundary, because the text has no `\r`. So the
 * segmenter, which is slow, only reads the other characters and their neighbors.
 */
function addGraphemes(tokens: Token[], text: string): void {
  const isAscii = (at: number) => text.charCodeAt(at) < ASCII_END;
  for (let start = 0, end = 1; start < text.length; start = end, end += 1) {
    while (end < text.length && !(isAscii(end - 1) && isAscii(end))) end += 1;
    const only = end - start === 1 ? ASCII_TOKENS[text.charCodeAt(start)] : undefined;
    if (only !== undefined) tokens.push(only);
    else for (const { segment } of GRAPHEMES.segment(text.slice(start, end))) tokens.push({ text: segment, entity: undefined });
  }
}
