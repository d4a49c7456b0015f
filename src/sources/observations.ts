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
 * What the snapshots in the inputs say, in batches in the order of the inputs; a Twitter archive, whose
 * account lies in several files, where the first of them stands. What is wrong comes as a inputError with its
 * reason, and the reading goes on where that can be done safely.
 * @throws Failure where the bytes themselves cannot be read
 */
export async function* observationsOf(inputs: readonly Input[], context: ObserveContext): AsyncGenerator<(Observed | InputError)[]> {
  const reader = new SnapshotReader(context);
  const mayBeArchive = context.from === undefined || context.from === 'twitter-archive';
  for (const source of mayBeArchive ? withArchivesJoined(inputs) : inputs) {
    if ('parts' in source) yield await accountIn(source, reader);
    else for await (const values of valuesOf(source)) yield Array.isArray(values) ? await reader.read(values, source.name) : [values];
  }
}

/** The values of an input, or at its end the inputError that it is no JSON. */
async function* valuesOf(input: Input): AsyncGenerator<RawValue[] | InputError> {
  try {
    yield* jsonValues(stripAssignment(decode(input)));
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const place = { file: input.name, line: error.line };
    yield { kind: 'error', code: 'bad-json', place, expected: error.expected, found: error.found, item: error.text };
  }
}

/** The one observation of an archive, after the inputErrors of its files. */
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
