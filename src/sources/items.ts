import { parseOwnRecord, parseProfile } from '../contract/account.ts';
import type { Collection } from '../contract/collection.ts';
import { parseEnvelope } from '../contract/envelope.ts';
import type { Place } from '../contract/failure.ts';
import { isObject, show } from '../contract/json.ts';
import { type ChangeRecord, parseRecord } from '../contract/record.ts';
import { at, Violation } from '../contract/shape.ts';
import { parseJson, placeIn } from './json-text.ts';
import { jsonValues } from './json-values.ts';
import { NotJson, type RawValue } from './raw-value.ts';
import type { Flaw, Input, Item } from './source.ts';
import { textOf } from './text.ts';

/**
 * What an input holds, in batches: change records and accounts, whether they stand in saved pages of
 * either collection, in NDJSON or in JSON arrays, and each page after its items. What is none of these
 * comes as a flaw with its reason, and the reading goes on where that can be done safely.
 * @throws Failure where the bytes themselves cannot be read
 */
export async function* itemsOf(input: Input): AsyncGenerator<Item[]> {
  try {
    const reader = new ItemReader(input.name);
    for await (const values of jsonValues(textOf(input))) yield reader.read(values);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const place = { file: input.name, line: error.line };
    yield [{ kind: 'flaw', code: 'bad-json', place, expected: error.expected, found: error.found, item: error.text }];
  }
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
      this.#items.push(isFlaw(record) ? record : { kind: 'record', record, place: this.#place(path) });
      return 'data';
    } else if (isObject(value) && 'data' in value) {
      this.#addAccount(value, path);
      return 'account';
    } else {
      this.#items.push(unknownItem(value, this.#place(path)));
    }
    return undefined;
  }

  /**
   * What stands in a page comes whether its envelope is right or not: the envelope is a flaw of its own.
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
    if (isFlaw(envelope)) this.#items.push(envelope);
    if (!Array.isArray(results)) return;
    let collection = streamed?.collection;
    for (const [index, item] of results.entries()) {
      const found = this.#addValue(item, at(path, `results[${index}]`), depth + 1);
      collection ??= found;
    }
    if (isFlaw(envelope)) return;
    const { count, next, previous } = envelope;
    this.#items.push({ kind: 'page', page: { collection, count, next, previous, items: streamed?.items ?? results.length } });
  }

  /** An account's records, then the account with those of them that are right. */
  #addAccount(value: JsonObject, path: string): void {
    const profile = this.#orFlaw(() => parseProfile(value, path), value);
    if (isFlaw(profile)) {
      this.#items.push(profile);
      return;
    }
    const place = this.#place(path);
    const data: ChangeRecord[] = [];
    for (const [index, item] of profile.data.entries()) {
      const record = this.#orFlaw(() => parseOwnRecord(item, profile, at(path, `data[${index}]`)), item);
      if (!isFlaw(record)) data.push(record);
      this.#items.push(isFlaw(record) ? record : { kind: 'record', record, place });
    }
    this.#items.push({ kind: 'account', account: { ...profile, data }, place });
  }

  /** What a parser gives, or the flaw that it finds in an item. */
  #orFlaw<T extends object>(parse: () => T, item: unknown): T | Flaw {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return { kind: 'flaw', code: 'bad-field', place: this.#place(error.field), expected: error.expected, found: error.found, item };
    }
  }

  #place(field: string): Place {
    return placeIn({ file: this.#file, line: this.#line }, field);
  }
}

function isFlaw(parsed: object): parsed is Flaw {
  return 'kind' in parsed && parsed.kind === 'flaw';
}

function unknownItem(value: unknown, place: Place): Flaw {
  const isAnswer = isObject(value) && typeof value['detail'] === 'string';
  return {
    kind: 'flaw',
    code: 'bad-field',
    place,
    expected: 'a change record (with data_type), an account (with data) or a page (with results)',
    found: isAnswer ? `an error answer, ${show(value['detail'])}` : show(value),
    item: value,
  };
}
