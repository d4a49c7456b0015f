import type { Place } from '../contract/failure.ts';
import { isObject, show } from '../contract/json.ts';
import type { Observation } from '../contract/observation.ts';
import { Violation } from '../contract/shape.ts';
import type { CaptureContext, JsonObject, Observe, SnapshotFormat } from './formats/format.ts';
import { FORMATS, type FormatName } from './formats/formats.ts';
import { neutral } from './formats/neutral.ts';
import { parseJson, placeIn } from './json-text.ts';
import type { RawValue } from './raw-value.ts';
import { mayNeedSanitizing, sanitize } from './sanitize.ts';
import { SnapshotCache } from './snapshot-cache.ts';
import type { InputError } from './source.ts';

export interface ObserveContext extends CaptureContext {
  /** The format of all snapshots; if undefined, the format of each is detected. */
  readonly from: FormatName | undefined;
}

export interface Observed {
  readonly kind: 'observation';
  readonly observation: Observation;
  readonly place: Place;
}

/** A format with the functions that read its snapshots. */
interface ReadingFunctions {
  readonly snapshotsIn: SnapshotFormat['snapshotsIn'];
  readonly observe: Observe;
}

/** A format with two readers: one sanitizes texts, and one is for texts that are known to be clean. */
interface LoadedFormat {
  readonly thorough: ReadingFunctions;
  readonly quick: ReadingFunctions;
}

/** How deep snapshots may be nested in arrays. */
const MAX_DEPTH = 4;

/** Reads the snapshots of one run: detects the format of each value and calls the reader of that format. */
export class SnapshotReader {
  readonly #context: ObserveContext;
  readonly #formats: readonly SnapshotFormat[];
  readonly #cache = new SnapshotCache();
  /** The formats that are loaded so far. */
  readonly #loaded = new Map<SnapshotFormat, LoadedFormat>();

  constructor(context: ObserveContext) {
    this.#context = context;
    this.#formats = FORMATS.filter((format) => context.from === undefined || format.name === context.from);
  }

  /** Reads the observations from the texts of some values. */
  async read(texts: readonly RawValue[], file: string): Promise<(Observed | InputError)[]> {
    const found: (Observed | InputError)[] = [];
    for (const raw of texts) {
      const { text, line, path } = raw;
      const repeated = this.#cache.find(text);
      if (repeated !== undefined) {
        found.push({ kind: 'observation', observation: repeated, place: placeIn({ file, line }, path) });
        continue;
      }
      const before = found.length;
      const parsed = parseJson(raw, file);
      if ('kind' in parsed) {
        found.push(parsed);
        continue;
      }
      const { value } = parsed;
      const format = isObject(value) ? this.#formatOf(value) : undefined;
      const loaded = format && this.#loaded.get(format);
      // an await for each of millions of values would take longer than reading them
      if (loaded === undefined || !isObject(value)) await this.add(found, value, { file, line }, path);
      else this.#observe(found, value, mayNeedSanitizing(text) ? loaded.thorough : loaded.quick, { file, line }, path);
      const only = found.length === before + 1 ? found[before] : undefined;
      // in other formats, observed_at is not the time of the snapshot
      if (only?.kind === 'observation' && format === neutral) this.#cache.add(text, only.observation);
    }
    return found;
  }

  /** Adds the observations of a value, or of the values in an array. */
  async add(found: (Observed | InputError)[], value: unknown, origin: Place, path: string, depth = 0): Promise<void> {
    if (Array.isArray(value) && depth < MAX_DEPTH) {
      for (const [index, item] of value.entries()) await this.add(found, item, origin, `${path}[${index}]`, depth + 1);
      return;
    }
    const format = isObject(value) ? this.#formatOf(value) : undefined;
    if (format === undefined || !isObject(value)) {
      found.push(this.#unknown(value, placeIn(origin, path)));
      return;
    }
    const loaded = this.#loaded.get(format) ?? (await load(format));
    this.#loaded.set(format, loaded);
    this.#observe(found, value, loaded.thorough, origin, path);
  }

  #formatOf(value: JsonObject): SnapshotFormat | undefined {
    if (this.#context.from !== undefined) return this.#formats[0];
    for (const format of this.#formats) if (format.recognizes(value)) return format;
    return undefined;
  }

  #observe(found: (Observed | InputError)[], value: JsonObject, reading: ReadingFunctions, origin: Place, path: string): void {
    const context = this.#context;
    try {
      if (reading.snapshotsIn === undefined) {
        found.push({ kind: 'observation', observation: reading.observe(value, path, context), place: placeIn(origin, path) });
        return;
      }
      for (const snapshot of reading.snapshotsIn(value, path)) {
        const taken = snapshot.observedAt === undefined ? context : { ...context, observedAt: snapshot.observedAt };
        found.push(observed(snapshot.value, reading.observe, origin, snapshot.path, taken));
      }
    } catch (error) {
      found.push(inputErrorOf(error, origin, value));
    }
  }

  #unknown(value: unknown, place: Place): InputError {
    return {
      kind: 'error',
      code: 'bad-field',
      place,
      expected: this.#formats.map((format) => format.title).join(', or '),
      found: show(value),
      hint: 'if it is a snapshot, name its format with --from',
      item: value,
    };
  }
}

async function load(format: SnapshotFormat): Promise<LoadedFormat> {
  const { snapshotsIn } = format;
  const observe = await format.observer();
  const thorough: Observe = (snapshot, path, taken) => sanitize(observe(snapshot, path, taken));
  return { thorough: { snapshotsIn, observe: thorough }, quick: { snapshotsIn, observe } };
}

/** Reads one of several snapshots. An error here does not affect the others. */
function observed(value: unknown, observe: Observe, origin: Place, path: string, taken: CaptureContext): Observed | InputError {
  try {
    if (!isObject(value)) throw new Violation(path || 'item', 'an object', show(value));
    return { kind: 'observation', observation: observe(value, path, taken), place: placeIn(origin, path) };
  } catch (error) {
    return inputErrorOf(error, origin, value);
  }
}

/** @throws any error that is not a Violation */
function inputErrorOf(error: unknown, origin: Place, item: unknown): InputError {
  if (!(error instanceof Violation)) throw error;
  const { field, expected, found, hint } = error;
  const place = placeIn(origin, field);
  return { kind: 'error', code: 'bad-field', place, expected, found, ...(hint === undefined ? {} : { hint }), item };
}
