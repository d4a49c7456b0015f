import { type Entity, entitiesIn } from './entities.ts';

/** What a diff compares and never cuts: a grapheme, or a mention or hashtag as a whole. */
export interface Token {
  readonly text: string;
  readonly entity: Entity | undefined;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Between two characters of ASCII there is always a boundary, and the segmenter is slow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const PLAIN = /(?<=[\u0000-\u007f])(?=[\u0000-\u007f])/;

/** A text's line breaks as one `\n` each: `\r\n` and a lone `\r` are shown as the same. */
export function withPlainBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** @param text with plain line breaks */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { text: stretch, entity } of chunksOf(text)) {
    if (entity !== undefined) tokens.push({ text: stretch, entity });
    else for (const grapheme of graphemesOf(stretch)) tokens.push({ text: grapheme, entity });
  }
  return tokens;
}

/** A text in stretches, each a mention, a hashtag, or what stands between them. */
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
