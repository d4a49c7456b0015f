import { parseOwnRecord, parseProfile } from '../contract/account.ts';
import { EXPORT_FORMAT, type ExportHeader, parseAccountState, parseExportHeader } from '../contract/account-state.ts';
import type { Collection } from '../contract/collection.ts';
import { parseEnvelope } from '../contract/envelope.ts';
import { parseExclusion } from '../contract/exclusion.ts';
import type { Place } from '../contract/failure.ts';
import { FIRST_ID_WITHOUT_ROOM, leavesRoom } from '../contract/generated-id.ts';
import { isObject, show } from '../contract/json.ts';
import { type ChangeRecord, parseRecord } from '../contract/record.ts';
import { at, Violation } from '../contract/shape.ts';
import { decode } from './decode.ts';
import { ExportLines } from './export-lines.ts';
import { parseJson, placeIn } from './json-text.ts';
import { jsonValues } from './json-values.ts';
import { NotJson, type RawValue } from './raw-value.ts';
import type { Input, InputError, Item } from './source.ts';

/**
 * Reads change records and accounts from an input, in batches.
 * The input is saved pages of either collection, also in a web archive, NDJSON, JSON arrays or an export of a store. A
 * page follows its items.
 * Anything else becomes an input error with its reason. Reading continues after it if that is safe.
 * @throws Failure if the bytes cannot be read
 */
export async function* itemsOf(input: Input): AsyncGenerator<Item[]> {
  if (input.pages !== undefined) {
    for await (const page of input.pages()) yield* itemsOf(page);
    return;
  }
  const reader = new ItemReader(input.name);
  let exported: ExportLines | undefined;
  try {
    for await (const values of jsonValues(decode(input))) {
      const [first, ...others] = values;
      const header = exported === undefined && first?.line === 1 ? headerIn(first, input.name) : undefined;
      if (header !== undefined && isInputError(header)) {
        yield [header];
        return;
      }
      if (header !== undefined) exported = new ExportLines(header);
      const items = reader.read(header === undefined ? values : others);
      exported?.count(items);
      // an export comes from a store, which accepted these ids before
      yield exported === undefined ? items.map(withoutHighIds) : items;
    }
    const inputError = exported?.errorIn(input.name);
    if (inputError !== undefined) yield [inputError];
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const place = { file: input.name, line: error.line };
    yield [{ kind: 'error', code: 'bad-json', place, expected: error.expected, found: error.found, item: error.text }];
  }
}

/** Returns the first line of an export, or undefined if the value is something else. */
function headerIn(raw: RawValue, file: string): ExportHeader | InputError | undefined {
  const parsed = raw.text.includes(EXPORT_FORMAT) ? parseJson(raw, file) : undefined;
  if (parsed === undefined || 'kind' in parsed) return undefined;
  const { value } = parsed;
  if (!isObject(value) || value['format'] !== EXPORT_FORMAT) return undefined;
  return orInputError(() => parseExportHeader(value), { file, line: raw.line }, value);
}

/** Returns the item, or an input error if the id of a record is so high that no later record can get a higher one. */
function withoutHighIds(item: Item): Item {
  if (item.kind === 'account') return { ...item, account: { ...item.account, data: item.account.data.filter(leavesRoom) } };
  if (item.kind !== 'record' || leavesRoom(item.record)) return item;
  const place = { ...item.place, field: at(item.place.field ?? '', 'id') };
  const expected = `an id below ${FIRST_ID_WITHOUT_ROOM}: later records need higher ids`;
  return { kind: 'error', code: 'bad-field', place, expected, found: show(item.record.id), item: item.record };
}

/** How deep items may be nested in arrays and pages. */
const MAX_DEPTH = 4;

type JsonObject = { readonly [key: string]: unknown };

class ItemReader {
  readonly #file: string;
  #line = 1;
  #items: Item[] = [];
  /** The collection of the page whose results are read as separate values. */
  #streamed: Collection | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  read(values: readonly RawValue[]): Item[] {
    this.#items = [];
    for (const raw of values) this.#addRaw(raw);
    return this.#items;
  }

  #addRaw(raw: RawValue): void {
    const parsed = parseJson(raw, this.#file);
    this.#line = raw.line;
    if ('kind' in parsed) {
      this.#items.push(parsed);
    } else if (raw.elements === undefined || !isObject(parsed.value)) {
      const collection = this.#addValue(parsed.value, raw.path, 0);
      if (raw.path.startsWith('results[')) this.#streamed ??= collection;
    } else {
      this.#addPage(parsed.value, raw.path, 0, { items: raw.elements, collection: this.#streamed });
    }
    if (raw.path === '') this.#streamed = undefined;
  }

  /** @returns the collection that the value is an item of, or undefined */
  #addValue(value: unknown, path: string, depth: number): Collection | undefined {
    if (Array.isArray(value) && depth < MAX_DEPTH) {
      for (const [index, item] of value.entries()) this.#addValue(item, `${path}[${index}]`, depth + 1);
    } else if (isObject(value) && 'results' in value && depth < MAX_DEPTH) {
      this.#addPage(value, path, depth, undefined);
    } else if (isObject(value) && 'data_type' in value) {
      const record = this.#orInputError(() => parseRecord(value, path), value);
      this.#items.push(isInputError(record) ? record : { kind: 'record', record, place: this.#place(path) });
      return 'data';
    } else if (isObject(value) && 'former_handles' in value) {
      const state = this.#orInputError(() => parseAccountState(value, path), value);
      this.#items.push(isInputError(state) ? state : { kind: 'state', state, place: this.#place(path) });
    } else if (isObject(value) && 'excluded_at' in value) {
      const exclusion = this.#orInputError(() => parseExclusion(value, path), value);
      this.#items.push(isInputError(exclusion) ? exclusion : { kind: 'exclusion', exclusion, place: this.#place(path) });
    } else if (isObject(value) && 'data' in value) {
      this.#addAccount(value, path);
      return 'account';
    } else {
      this.#items.push(unknownItem(value, this.#place(path)));
    }
    return undefined;
  }

  /**
   * Adds the items of a page even if its envelope is wrong. A wrong envelope is a separate input error.
   * @param streamed the number and collection of the results that were read before the page
   */
  #addPage(
    page: JsonObject,
    path: string,
    depth: number,
    streamed: { readonly items: number; readonly collection: Collection | undefined } | undefined,
  ): void {
    const { results, ...frame } = page;
    const envelope = this.#orInputError(() => parseEnvelope(Array.isArray(results) ? { ...frame, results: [] } : page, path), frame);
    if (isInputError(envelope)) this.#items.push(envelope);
    if (!Array.isArray(results)) return;
    let collection = streamed?.collection;
    for (const [index, item] of results.entries()) {
      const found = this.#addValue(item, at(path, `results[${index}]`), depth + 1);
      collection ??= found;
    }
    if (isInputError(envelope)) return;
    const { count, next, previous } = envelope;
    this.#items.push({ kind: 'page', page: { collection, count, next, previous, items: streamed?.items ?? results.length } });
  }

  /** Adds the records of an account, then the account with its valid records. */
  #addAccount(value: JsonObject, path: string): void {
    const profile = this.#orInputError(() => parseProfile(value, path), value);
    if (isInputError(profile)) {
      this.#items.push(profile);
      return;
    }
    const place = this.#place(path);
    const data: ChangeRecord[] = [];
    for (const [index, item] of profile.data.entries()) {
      const record = this.#orInputError(() => parseOwnRecord(item, profile, at(path, `data[${index}]`)), item);
      if (!isInputError(record)) data.push(record);
      this.#items.push(isInputError(record) ? record : { kind: 'record', record, place });
    }
    this.#items.push({ kind: 'account', account: { ...profile, data }, place });
  }

  #orInputError<T extends object>(parse: () => T, item: unknown): T | InputError {
    return orInputError(parse, this.#place(''), item);
  }

  #place(field: string): Place {
    return placeIn({ file: this.#file, line: this.#line }, field);
  }
}

function isInputError(parsed: object): parsed is InputError {
  return 'kind' in parsed && parsed.kind === 'error';
}

function unknownItem(value: unknown, place: Place): InputError {
  const isAnswer = isObject(value) && typeof value['detail'] === 'string';
  return {
    kind: 'error',
    code: 'bad-field',
    place,
    expected: 'a change record (with data_type), an account (with data) or a page (with results)',
    found: isAnswer ? `an error response, ${show(value['detail'])}` : show(value),
    item: value,
  };
}

/** Returns the result of a parser, or an input error for the violation that it throws. */
function orInputError<T extends object>(parse: () => T, origin: Place, item: unknown): T | InputError {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { kind: 'error', code: 'bad-field', place: placeIn(origin, error.field), expected: error.expected, found: error.found, item };
  }
}
