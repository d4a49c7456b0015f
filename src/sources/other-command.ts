import { EXPORT_FORMAT } from '../contract/accounts/account-state.ts';
import { FORMATS } from './formats/formats.ts';
import type { HintCommand } from './hint-command.ts';
import { sourceNamed } from './hint-command.ts';
import { timeInPath } from './snapshots/path-time.ts';
import type { InputError } from './source.ts';

type JsonObject = { readonly [key: string]: unknown };

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
