import { parseOwnRecord, parseProfile } from '../contract/account.ts';
import { EXPORT_FORMAT, type ExportHeader, parseAccountState, parseExportHeader } from '../contract/account-state.ts';
import type { Collection } from '../contract/collection.ts';
import { parseEnvelope } from '../contract/envelope.ts';
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
 * Reads an input in batches: change records and accounts, from saved pages of either collection, NDJSON,
 * JSON arrays or an export of a store. A page follows its items. What is none of these is a inputError with its
 * reason; reading continues after it if that is safe.
 * @throws Failure if the bytes cannot be read
 */
export async function* itemsOf(input: Input): AsyncGenerator<Item[]> {
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

/** The first line of an export; undefined if the value is something else. */
function headerIn(raw: RawValue, file: string): ExportHeader | InputError | undefined {
  const parsed = raw.text.includes(EXPORT_FORMAT) ? parseJson(raw, file) : undefined;
  if (parsed === undefined || 'kind' in parsed) return undefined;
  const { value } = parsed;
  if (!isObject(value) || value['format'] !== EXPORT_FORMAT) return undefined;
  return orFlaw(() => parseExportHeader(value), { file, line: raw.line }, value);
}

/** An item, or the inputError of a record whose id is so high that no later record could get a higher one. */
function withoutHighIds(item: Item): Item {
  if (item.kind === 'account') return { ...item, account: { ...item.account, data: item.account.data.filter(leavesRoom) } };
  if (item.kind !== 'record' || leavesRoom(item.record)) return item;
  const place = { ...item.place, field: at(item.place.field ?? '', 'id') };
  const expected = `an id below ${FIRST_ID_WITHOUT_ROOM}: later records need higher ids`;
  return { kind: 'error', code: 'bad-field', place, expected, found: show(item.record.id), item: item.record };
}

/** How deep items may lie in arrays and pages. */
const DEEPEST = 4;

type JsonObject = { readonly [key: string]: unknown };

class ItemReader {
  readonly #file: string;
  #line = 1;
  #items: Item[] = [];
  /** Of the page whose results come as values of their own: what they are. */
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

  /** @returns the collection of which the value is an item, if it is one */
  #addValue(value: unknown, path: string, depth: number): Collection | undefined {
    if (Array.isArray(value) && depth < DEEPEST) {
      for (const [index, item] of value.entries()) this.#addValue(item, `${path}[${index}]`, depth + 1);
    } else if (isObject(value) && 'results' in value && depth < DEEPEST) {
      this.#addPage(value, path, depth, undefined);
    } else if (isObject(value) && 'data_type' in value) {
      const record = this.#orFlaw(() => parseRecord(value, path), value);
      this.#items.push(isInputError(record) ? record : { kind: 'record', record, place: this.#place(path) });
      return 'data';
    } else if (isObject(value) && 'former_handles' in value) {
      const state = this.#orFlaw(() => parseAccountState(value, path), value);
      this.#items.push(isInputError(state) ? state : { kind: 'state', state, place: this.#place(path) });
    } else if (isObject(value) && 'data' in value) {
      this.#addAccount(value, path);
      return 'account';
    } else {
      this.#items.push(unknownItem(value, this.#place(path)));
    }
    return undefined;
  }

  /**
   * What stands in a page comes whether its envelope is right or not: the envelope is a inputError of its own.
   * @param streamed what came of its results before it
   */
  #addPage(
    page: JsonObject,
    path: string,
    depth: number,
    streamed: { readonly items: number; readonly collection: Collection | undefined } | undefined,
  ): void {
    const { results, ...frame } = page;
    const envelope = this.#orFlaw(() => parseEnvelope(Array.isArray(results) ? { ...frame, results: [] } : page, path), frame);
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

  /** An account's records, then the account with those of them that are right. */
  #addAccount(value: JsonObject, path: string): void {
    const profile = this.#orFlaw(() => parseProfile(value, path), value);
    if (isInputError(profile)) {
      this.#items.push(profile);
      return;
    }
    const place = this.#place(path);
    const data: ChangeRecord[] = [];
    for (const [index, item] of profile.data.entries()) {
      const record = this.#orFlaw(() => parseOwnRecord(item, profile, at(path, `data[${index}]`)), item);
      if (!isInputError(record)) data.push(record);
      this.#items.push(isInputError(record) ? record : { kind: 'record', record, place });
    }
    this.#items.push({ kind: 'account', account: { ...profile, data }, place });
  }

  #orFlaw<T extends object>(parse: () => T, item: unknown): T | InputError {
    return orFlaw(parse, this.#place(''), item);
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
    found: isAnswer ? `an error answer, ${show(value['detail'])}` : show(value),
    item: value,
  };
}

/** The result of a parser, or the inputError that it finds in an item. */
function orFlaw<T extends object>(parse: () => T, origin: Place, item: unknown): T | InputError {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { kind: 'error', code: 'bad-field', place: placeIn(origin, error.field), expected: error.expected, found: error.found, item };
  }
}
