import { plainCommand, type ReadingCommand } from '../hint-command.ts';
import { valuesOf } from '../inputs/file-values.ts';
import { type ArchiveFolder, placeInArchive, withArchivesJoined } from '../inputs/twitter-archive-folder.ts';
import { type Parsed, parseJson } from '../json/parse-json.ts';
import { optionsOf } from '../rejects/reject-line.ts';
import type { Input, InputError } from '../source.ts';
import { filesIn } from '../unpack/unpack.ts';
import { type ObserveContext, type SnapshotItem, SnapshotReader } from './snapshot-reader.ts';

export type { ObserveContext, Observed, SnapshotItem } from './snapshot-reader.ts';

/** How many files and members of archives were met so far. */
export interface FileCounts {
  read: number;
  /** Files of Twitter archives that do not describe the account. */
  skipped: number;
  /** Lines of rejects files. */
  rejectLines: number;
  /** Snapshots of suspended accounts. */
  suspended: number;
}

/**
 * Yields the observations in the inputs, in batches and in the order of the inputs.
 * A Twitter archive describes its account in several files. Its observation comes at the position of the first
 * of them.
 * What is wrong becomes an input error with its reason, also bytes that cannot be read. Reading continues after it if that
 * is safe.
 * @param counts is increased with each file
 */
export async function* observationsOf(
  inputs: readonly Input[],
  context: ObserveContext,
  counts: FileCounts = { read: 0, skipped: 0, rejectLines: 0, suspended: 0 },
): AsyncGenerator<readonly SnapshotItem[]> {
  const reader = new SnapshotReader(context);
  for await (const file of filesOf(inputs, context)) {
    if ('kind' in file) {
      yield [{ ...file, options: optionsOf(context) }];
    } else if ('parts' in file) {
      counts.read += file.parts.length;
      counts.skipped += file.skipped.length;
      yield await observedAccount(file, reader, context);
    } else {
      counts.read += 1;
      for await (const values of valuesOf(file, commandOf(context))) {
        yield Array.isArray(values) ? await reader.read(values, file.name) : [{ ...values, options: optionsOf(context) }];
      }
    }
  }
  counts.rejectLines += reader.rejectLines;
  counts.suspended += reader.suspended;
  // files that the lines of a rejects file name
  for (const again of reader.filesToReadAgain) yield* observationsOf([again.input], again.context);
}

/** Yields the files in the inputs, also the members of archives. A Twitter archive is one element. */
async function* filesOf(inputs: readonly Input[], { from }: ObserveContext): AsyncGenerator<ArchiveFolder | Input | InputError> {
  for (const source of withArchivesJoined(inputs, from)) {
    if ('parts' in source) yield source;
    else for await (const files of filesIn(source)) yield* 'kind' in files ? [files] : withArchivesJoined(files, from);
  }
}

/** Returns the input errors of the files of an archive, then its observation. */
async function observedAccount(archive: ArchiveFolder, reader: SnapshotReader, context: ObserveContext): Promise<SnapshotItem[]> {
  const found: SnapshotItem[] = [];
  const joined: Record<string, unknown> = {};
  for (const { name, input } of archive.parts) {
    const values: unknown[] = [];
    for await (const texts of valuesOf(input, commandOf(context))) {
      if (!Array.isArray(texts)) found.push({ ...texts, options: optionsOf(context) });
      else for (const raw of texts) addValue(values, found, parseJson(raw, input.name));
    }
    joined[name] = name === 'manifest' ? values[0] : values;
  }
  const observed: SnapshotItem[] = [];
  reader.add(observed, joined, placeInArchive(archive), '');
  return [...found, ...observed.map((item) => ({ ...item, place: placeInArchive(archive, item.place.field) }))];
}

function commandOf({ command = plainCommand }: ObserveContext): ReadingCommand {
  return { verb: 'observe', command };
}

function addValue(values: unknown[], inputErrors: SnapshotItem[], parsed: Parsed | InputError): void {
  if ('kind' in parsed) inputErrors.push(parsed);
  else values.push(parsed.value);
  if ('lost' in parsed) for (const item of parsed.lost?.values() ?? []) inputErrors.push(item);
}
