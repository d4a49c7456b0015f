/** The commands that read sources. */
export type Verb = 'import' | 'observe';

/**
 * Returns the command that reads a source with the options of the run. Hints show it.
 * @param source a path or `-`; undefined: the sources of the run
 * @param more further arguments
 */
export type HintCommand = (verb: Verb, source?: string, ...more: readonly string[]) => string;

/** For a run without options whose sources are unknown. */
export const plainCommand: HintCommand = (verb, source = 'SOURCE', ...more) =>
  ['palimpsest', verb, ...[source, ...more].map(shellWord)].join(' ');

/**
 * Returns the commands of a run.
 * @param sources the sources of the run
 * @param options the options to repeat: for every command, and only for `observe`; each with a space before it
 */
export function hintCommandFor(sources: readonly string[], options: string, observeOptions = ''): HintCommand {
  return (verb, source, ...more) => {
    const words = [...(source === undefined ? sources : [source]), ...more].map(shellWord);
    return `palimpsest ${verb} ${words.join(' ')}${verb === 'observe' ? observeOptions : ''}${options}`;
  };
}

/** Quotes a text for a POSIX shell if it needs quotes. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the argument that names an input on the command line. */
export function sourceNamed(input: string): string {
  return input === STANDARD_INPUT ? '-' : input;
}

/** The name of the input that `-` stands for. */
export const STANDARD_INPUT = 'standard input';
