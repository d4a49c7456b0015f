import type { SuggestedCommand } from '../contract/hint.ts';
import { shellWord } from '../contract/text/shell-word.ts';
import { STANDARD_INPUT } from './source.ts';
import { sourceOf } from './unpack/archive-member.ts';

/** The commands that read sources. */
export type Verb = 'import' | 'observe';

/**
 * Returns the command that reads a source with the options of the run, or an export without a source. Hints show it.
 * @param source a path or `-`; undefined: the sources of the run
 * @param options further options
 */
export type HintCommand = (verb: Verb | 'export ndjson', source?: string, options?: SuggestedCommand['options']) => string;

/** For a run without options whose sources are unknown. */
export const plainCommand: HintCommand = (verb, source = 'SOURCE', options = {}) =>
  [
    'palimpsest',
    verb,
    ...[
      ...(verb === 'export ndjson' ? [] : [source]),
      ...Object.entries(options).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one])),
    ].map((word) => shellWord(String(word))),
  ].join(' ');

/** Returns the argument that names an input on the command line: of a member, its archive. */
export function sourceNamed(input: string): string {
  const { source } = sourceOf(input);
  return source === STANDARD_INPUT ? '-' : source;
}
