import { EXPORT_FORMAT } from '../contract/accounts/account-state.ts';
import { type SuggestedCommand, shellWord } from '../contract/hint.ts';
import { FORMATS } from './formats/all-formats.ts';
import type { JsonObject } from './formats/format.ts';
import { timeInPath } from './snapshots/path-time.ts';
import { type InputError, STANDARD_INPUT } from './source.ts';
import { sourceOf } from './unpack/archive-member.ts';

/** The commands that read sources. */
export type Verb = 'import' | 'observe';

/**
 * Returns the command that reads a source with the options of the run, or an export without a source. Hints show it.
 * @param source a path or `-`; undefined: the sources of the run
 * @param options further options
 */
export type HintCommand = (verb: Verb | 'export ndjson', source?: string, options?: SuggestedCommand['options']) => string;

/** The command that reads a source, and how a hint writes commands. */
export interface ReadingCommand {
  readonly verb: Verb;
  readonly command: HintCommand;
}

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
function sourceNamed(input: string): string {
  const { source } = sourceOf(input);
  return source === STANDARD_INPUT ? '-' : source;
}

/** What another command reads: how an error names it, and the command. */
type OtherCommand = Pick<InputError, 'found' | 'hint' | 'otherCommand'>;

/** Returns what an error says about a snapshot that was given to `import`; undefined if the value is not a snapshot. */
export function ifSnapshot(value: JsonObject, file: string, command: HintCommand): OtherCommand | undefined {
  const format = isForImport(value) ? undefined : FORMATS.find(({ recognizes }) => recognizes(value));
  if (format === undefined) return undefined;
  const isTimed = 'observed_at' in value || 'user' in value || timeInPath(file) !== undefined;
  const options = isTimed ? {} : { '--observed-at': 'TIME' };
  const note = isTimed ? '' : '; TIME is when the snapshots were taken, such as 2017-09-19T20:47:28Z';
  const hintFor = (source: string | undefined) => `read snapshots with observe: ${command('observe', source, options)}${note}`;
  return { found: format.title, hint: hintFor(sourceNamed(file)), otherCommand: { hintForAll: hintFor(undefined) } };
}

/** Returns what an error says about a record, account or page that was given to `observe`; undefined if the value is none. */
export function ifRecord(value: JsonObject, file: string, command: HintCommand): OtherCommand | undefined {
  if (!isForImport(value)) return undefined;
  const hintFor = (source: string | undefined) => `read records, accounts and pages with import: ${command('import', source)}`;
  return { found: importedKind(value), hint: hintFor(sourceNamed(file)), otherCommand: { hintForAll: hintFor(undefined) } };
}

function isForImport(value: JsonObject): boolean {
  if ('data_type' in value && 'first_encountered_date' in value) return true;
  if ('screen_name' in value && ('data_page_count' in value || Array.isArray(value['data']) || 'former_handles' in value)) return true;
  return (Array.isArray(value['results']) && 'count' in value) || value['format'] === EXPORT_FORMAT;
}

function importedKind(value: JsonObject): string {
  if ('data_type' in value) return 'a change record';
  if ('results' in value) return 'a saved page';
  return value['format'] === EXPORT_FORMAT ? 'an export of a store' : 'an account with its records';
}
