import { type Entity, entitiesIn } from './entities.ts';

/** The unit of comparison: a grapheme, or a whole mention or hashtag. */
export interface Token {
  readonly text: string;
  readonly entity: Entity | undefined;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Between two ASCII characters there is always a boundary. This is faster than the segmenter. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern covers all of ASCII
const PLAIN = /(?<=[\u0000-\u007f])(?=[\u0000-\u007f])/;

/** Converts line breaks to `\n`: `\r\n` and a lone `\r` look the same. */
export function withPlainBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** @param text with plain line breaks */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { text: chunk, entity } of chunksOf(text)) {
    if (entity !== undefined) tokens.push({ text: chunk, entity });
    else for (const grapheme of graphemesOf(chunk)) tokens.push({ text: grapheme, entity });
  }
  return tokens;
}

/** Splits a text into mentions, hashtags and the text between them. */
export function* chunksOf(text: string): Generator<Token> {
  let end = 0;
  for (const entity of entitiesIn(text)) {
    if (entity.start > end) yield { text: text.slice(end, entity.start), entity: undefined };
    yield { text: text.slice(entity.start, entity.end), entity };
    end = entity.end;
  }
  if (end < text.length) yield { text: text.slice(end), entity: undefined };
}

function* graphemesOf(text: string): Generator<string> {
  for (const piece of text.split(PLAIN)) {
    if (piece.length === 1) yield piece;
    else for (const { segment } of GRAPHEMES.segment(piece)) yield segment;
  }
}
