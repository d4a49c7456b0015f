import { type ArchiveFolder, placeInArchive, withArchivesJoined } from './archive-folder.ts';
import { stripAssignment } from './assignment.ts';
import { decode } from './decode.ts';
import { type Parsed, parseJson } from './json-text.ts';
import { jsonValues } from './json-values.ts';
import { NotJson, type RawValue } from './raw-value.ts';
import { type ObserveContext, type Observed, SnapshotReader } from './snapshot-reader.ts';
import type { Input, InputError } from './source.ts';

export type { ObserveContext, Observed } from './snapshot-reader.ts';

/**
 * Yields the observations in the inputs, in batches and in the order of the inputs.
 * A Twitter archive describes its account in several files. Its observation comes at the position of the first
 * of them.
 * What is wrong becomes an input error with its reason. Reading continues after it if that is safe.
 * @throws Failure if the bytes cannot be read
 */
export async function* observationsOf(inputs: readonly Input[], context: ObserveContext): AsyncGenerator<(Observed | InputError)[]> {
  const reader = new SnapshotReader(context);
  const mayBeArchive = context.from === undefined || context.from === 'twitter-archive';
  for (const source of mayBeArchive ? withArchivesJoined(inputs) : inputs) {
    if ('parts' in source) yield await accountIn(source, reader);
    else for await (const values of valuesOf(source)) yield Array.isArray(values) ? await reader.read(values, source.name) : [values];
  }
}

/** Yields the values of an input. If the text is not JSON, the last element is an input error. */
async function* valuesOf(input: Input): AsyncGenerator<RawValue[] | InputError> {
  try {
    yield* jsonValues(stripAssignment(decode(input)));
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const place = { file: input.name, line: error.line };
    yield { kind: 'error', code: 'bad-json', place, expected: error.expected, found: error.found, item: error.text };
  }
}

/** Returns the input errors of the files of an archive, then its observation. */
async function accountIn(archive: ArchiveFolder, reader: SnapshotReader): Promise<(Observed | InputError)[]> {
  const found: (Observed | InputError)[] = [];
  const joined: Record<string, unknown> = {};
  for (const { name, input } of archive.parts) {
    const values: unknown[] = [];
    for await (const texts of valuesOf(input)) {
      if (!Array.isArray(texts)) found.push(texts);
      else for (const raw of texts) addValue(values, found, parseJson(raw, input.name));
    }
    joined[name] = name === 'manifest' ? values[0] : values;
  }
  const observed: (Observed | InputError)[] = [];
  await reader.add(observed, joined, {}, '');
  return [...found, ...observed.map((item) => ({ ...item, place: placeInArchive(archive, item.place.field) }))];
}

function addValue(values: unknown[], inputErrors: (Observed | InputError)[], parsed: Parsed | InputError): void {
  if ('kind' in parsed) inputErrors.push(parsed);
  else values.push(parsed.value);
}
