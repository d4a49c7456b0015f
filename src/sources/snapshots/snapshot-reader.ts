import type { Place } from '../../contract/failure.ts';
import type { Instant } from '../../contract/instant.ts';
import { isObject, show } from '../../contract/json.ts';
import { at, checkLengths, Violation } from '../../contract/json-shape.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import { FORMAT_NAMES, FORMATS, type FormatName } from '../formats/all-formats.ts';
import { instantField } from '../formats/fields.ts';
import { type CaptureContext, type JsonObject, PackageNotLoaded, type Snapshot, type SnapshotFormat } from '../formats/format.ts';
import { neutral } from '../formats/neutral.ts';
import { type HintCommand, ifRecord, plainCommand } from '../hint-command.ts';
import { elementsIn } from '../json/json-values.ts';
import { type Parsed, parseJson } from '../json/parse-json.ts';
import type { RawValue } from '../json/raw-value.ts';
import { contextOf, optionsOf, type RejectLine, rejectLineIn } from '../rejects/reject-line.ts';
import { brokenRule, placeIn } from '../rejects/rejection.ts';
import type { Input, InputError } from '../source.ts';
import { isSuspended, storable, withoutEmptyFields } from './adjusted-observation.ts';
import { isPartHeader, type PartStart, parsePartHeader } from './part-header.ts';
import { contextByPath } from './path-time.ts';
import { SnapshotCache } from './snapshot-cache.ts';

export interface ObserveContext extends CaptureContext {
  /** The format of all snapshots; if undefined, the format of each is detected. */
  readonly from: FormatName | undefined;
  /** The latest time that a snapshot may have; undefined: any. */
  readonly latest?: Instant | undefined;
  readonly command?: HintCommand | undefined;
  /** Opens a file that a rejects file names. Without it, the lines of a rejects file are errors like any other text. */
  readonly openAgain?: ((path: string) => Input) | undefined;
}

export interface Observed {
  readonly kind: 'observation';
  readonly observation: Observation;
  readonly place: Place;
}

/** What a source of snapshots contains. */
export type SnapshotItem = Observed | PartStart | InputError;

/** How deep snapshots may be nested in arrays. */
const MAX_DEPTH = 4;

/** Reads the snapshots of one run: detects the format of each value and calls the reader of that format. */
export class SnapshotReader {
  /** The files that lines of a rejects file name, because they were rejected as a whole; with the options of each. */
  readonly filesToReadAgain: { readonly input: Input; readonly context: ObserveContext }[] = [];
  /** How many lines of a rejects file were read. */
  rejectLines = 0;
  /** How many snapshots were of a suspended account. */
  suspended = 0;
  readonly #context: ObserveContext;
  readonly #formats: readonly SnapshotFormat[];
  readonly #cache = new SnapshotCache();
  /** The items of the current value that are rejected already. */
  #lost: Parsed['lost'];
  readonly #takenIn: (file: string | undefined) => CaptureContext;

  constructor(context: ObserveContext) {
    this.#context = context;
    this.#takenIn = contextByPath(context);
    this.#formats = FORMATS.filter((format) => context.from === undefined || format.name === context.from);
  }

  /** Reads the observations from the texts of some values. */
  async read(texts: readonly RawValue[], file: string): Promise<SnapshotItem[]> {
    const found: SnapshotItem[] = [];
    for (const raw of texts) {
      const items = found.length;
      const files = this.filesToReadAgain.length;
      try {
        this.#readText(found, raw, file);
      } catch (error) {
        if (!(error instanceof PackageNotLoaded)) throw error;
        await error.load();
        found.length = items;
        this.filesToReadAgain.length = files;
        this.#readText(found, raw, file);
      }
    }
    return found;
  }

  #readText(found: SnapshotItem[], raw: RawValue, file: string): void {
    const { text, line, path } = raw;
    const repeated = this.#cache.find(text);
    if (repeated !== undefined) {
      found.push({ kind: 'observation', observation: repeated, place: placeIn({ file, line }, path) });
      return;
    }
    const before = found.length;
    const parsed = parseJson(raw, file);
    if ('kind' in parsed) {
      const elements = elementsIn(raw);
      if (elements === undefined) found.push(this.#withOptions(parsed));
      else for (const element of elements) this.#readText(found, element, file);
      return;
    }
    const format = this.#addParsed(found, parsed, { file, line }, path);
    const only = found.length === before + 1 ? found[before] : undefined;
    // in other formats, observed_at can be the time of several snapshots
    if (only?.kind === 'observation' && format === neutral) this.#cache.add(text, only.observation);
  }

  /** Adds the observations and the errors of a text that was parsed. */
  #addParsed(found: SnapshotItem[], { value, lost }: Parsed, origin: Place, path: string, depth = 0): SnapshotFormat | undefined {
    this.#lost = lost;
    if (lost !== undefined) for (const inputError of lost.values()) found.push(this.#withOptions(inputError));
    return this.add(found, value, origin, path, depth);
  }

  /**
   * Adds the observations of a value, or of the values in an array.
   * @returns the format of the value, if it has one
   */
  add(found: SnapshotItem[], value: unknown, origin: Place, path: string, depth = 0): SnapshotFormat | undefined {
    if (value === null && this.#lost?.has(path)) return undefined;
    if (Array.isArray(value) && depth < MAX_DEPTH) {
      for (const [index, item] of value.entries()) this.add(found, item, origin, `${path}[${index}]`, depth + 1);
      return undefined;
    }
    const format = isObject(value) ? this.#formatOf(value) : undefined;
    if (isPartHeader(value)) {
      found.push({ kind: 'part', header: parsePartHeader(value, origin), place: origin });
    } else if (format === undefined || !isObject(value)) {
      const line = isObject(value) && depth < MAX_DEPTH && this.#context.openAgain !== undefined ? rejectLineIn(value) : undefined;
      if (line === undefined) found.push(this.#explained(this.#unknown(value, placeIn(origin, path))));
      else this.#addReject(found, line, origin, at(path, 'item'), depth);
    } else {
      this.#observe(found, value, format, origin, path);
    }
    return format;
  }

  /** Adds the observations of the corrected item in a line of a rejects file. Its options replace those of the run. */
  #addReject(found: SnapshotItem[], line: RejectLine, origin: Place, path: string, depth: number): void {
    this.rejectLines += 1;
    const context = contextOf(this.#context, line.options);
    if (line.item === undefined) {
      const input = line.file === undefined ? undefined : this.#context.openAgain?.(line.file);
      // without openAgain: a file that is read again does not name further files
      if (input !== undefined) this.filesToReadAgain.push({ input, context: { ...context, openAgain: undefined } });
      return;
    }
    const raw = { text: typeof line.item === 'string' ? line.item : '', line: origin.line ?? 1, path };
    const corrected = typeof line.item === 'string' ? parseJson(raw, origin.file ?? '') : { value: line.item };
    if ('kind' in corrected) found.push({ ...corrected, options: line.options });
    else new SnapshotReader({ ...context, openAgain: undefined, isReject: true }).#addParsed(found, corrected, origin, path, depth + 1);
  }

  #formatOf(value: JsonObject): SnapshotFormat | undefined {
    if (this.#context.from !== undefined) return rejectLineIn(value) || isPartHeader(value) ? undefined : this.#formats[0];
    for (const format of this.#formats) if (format.recognizes(value)) return format;
    return undefined;
  }

  #observe(found: SnapshotItem[], value: JsonObject, format: SnapshotFormat, origin: Place, path: string): void {
    const context = this.#takenIn(origin.file);
    try {
      if (format.snapshotsIn === undefined) {
        const [observation, place] = [this.#read(format, value, path, context), placeIn(origin, path)];
        const times = format.furtherTimes?.(value, path) ?? [];
        found.push({ kind: 'observation', observation, place });
        for (const observed_at of times) found.push({ kind: 'observation', observation: { ...observation, observed_at }, place });
        return;
      }
      const listTime = value['observed_at'] === undefined ? undefined : instantField(value['observed_at'], path, 'observed_at');
      for (const snapshot of format.snapshotsIn(value, path)) {
        if (snapshot.value === null && this.#lost?.has(snapshot.path)) continue;
        const observedAt = listTime ?? snapshot.observedAt;
        const taken = observedAt === undefined ? context : { ...context, observedAt };
        const read = this.#readOne(format, snapshot, origin, taken);
        const isAll = snapshot.value === value;
        found.push(read.kind === 'error' ? this.#explained(read, isAll ? undefined : (format.singleName ?? format.name), taken) : read);
      }
    } catch (error) {
      found.push(this.#explained(brokenRule(error, origin, value)));
    }
  }

  /** Reads one of several snapshots. An error here does not affect the others. */
  #readOne(format: SnapshotFormat, { value, path }: Snapshot, origin: Place, taken: CaptureContext): Observed | InputError {
    try {
      if (!isObject(value)) throw new Violation(path || 'item', 'an object', show(value));
      return { kind: 'observation', observation: this.#read(format, value, path, taken), place: placeIn(origin, path) };
    } catch (error) {
      return brokenRule(error, origin, value);
    }
  }

  #read(format: SnapshotFormat, snapshot: JsonObject, path: string, taken: CaptureContext): Observation {
    const observation = storable(format.observe(snapshot, path, taken));
    const { profile, former_names, web_archive_url } = observation;
    checkLengths({ ...profile, former_names, web_archive_url }, path);
    if (!isSuspended(snapshot)) return observation;
    this.suspended += 1;
    return withoutEmptyFields(observation);
  }

  /** Returns an input error that names the other command if the item is a record or an account; with the options of the item. */
  #explained(inputError: InputError, from?: FormatName, taken: CaptureContext = this.#takenIn(inputError.place.file)): InputError {
    const { item, place } = inputError;
    const other = isObject(item) ? ifRecord(item, place.file ?? '', this.#context.command ?? plainCommand) : undefined;
    return { ...this.#withOptions(inputError, from, taken), ...this.#otherFormat(item), ...other };
  }

  /** Returns a hint if an item does not look like the format of the run. */
  #otherFormat(item: unknown): Pick<InputError, 'hint'> | undefined {
    const [only] = this.#formats;
    if (this.#context.from === undefined || only === undefined || !isObject(item) || only.recognizes(item)) return undefined;
    // the format of a rejected item is in its line, and not in the command
    const remedy = this.#context.isReject ? 'correct the item or its options in this line' : 'leave out --from to detect the format';
    return { hint: `${remedy}: the item does not look like ${only.title}` };
  }

  #withOptions(inputError: InputError, from?: FormatName, taken: CaptureContext = this.#takenIn(inputError.place.file)): InputError {
    return { ...inputError, options: optionsOf({ ...taken, from: from ?? this.#context.from }) };
  }

  #unknown(value: unknown, place: Place): InputError {
    const [only] = this.#context.from === undefined ? [] : this.#formats;
    return {
      kind: 'error',
      code: 'bad-field',
      place,
      expected: only === undefined ? `a snapshot in one of the formats ${FORMAT_NAMES.join(', ')}` : only.title,
      found: show(value),
      hint:
        isObject(value) && 'profile' in value
          ? 'a Twitter archive needs its file data/account.js too: name a folder or ZIP file that has all its files'
          : 'docs/snapshots.md in the package describes the formats; leave other files out with --exclude',
      item: value,
    };
  }
}
