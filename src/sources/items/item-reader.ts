import { ACCOUNT_FIELDS, parseOwnRecord, parseProfile } from '../../contract/account.ts';
import { parseAccountState } from '../../contract/accounts/account-state.ts';
import { parseExclusion } from '../../contract/accounts/exclusion.ts';
import type { Place } from '../../contract/failure.ts';
import { parseGoneItem } from '../../contract/files/gone-item.ts';
import { isObject, show } from '../../contract/json.ts';
import { at, checkLengths, MAX_TEXT } from '../../contract/json-shape.ts';
import type { Collection } from '../../contract/pages/collection.ts';
import { parseEnvelope } from '../../contract/pages/envelope.ts';
import { type ChangeRecord, parseRecord } from '../../contract/record.ts';
import type { JsonObject } from '../formats/format.ts';
import { type HintCommand, ifSnapshot } from '../hint-command.ts';
import { elementsIn } from '../json/json-values.ts';
import { type Parsed, parseJson } from '../json/parse-json.ts';
import type { RawValue } from '../json/raw-value.ts';
import { rejectLineIn } from '../rejects/reject-line.ts';
import { brokenRule, placeIn } from '../rejects/rejection.ts';
import type { Input, InputError, Item } from '../source.ts';
import { type PageItems, PageItemsReader } from './page-items.ts';

export interface ItemOptions {
  readonly command: HintCommand;
  /** Opens a file that a rejects file names. Without it, the lines of a rejects file are errors like any other text. */
  readonly openAgain?: ((path: string) => Input) | undefined;
}

/** How deep items may be nested in arrays and pages. */
const MAX_DEPTH = 4;

/** Recognizes the items in the JSON values of one input: records, accounts, pages, and lines of exports and rejects files. */
export class ItemReader {
  /** The files that lines of a rejects file name, because they were rejected as a whole. */
  readonly filesToReadAgain: Input[] = [];
  readonly #file: string;
  readonly #options: ItemOptions;
  #line = 1;
  #items: Item[] = [];
  /** The items of the page whose results are read as separate values. */
  #streamed = new PageItemsReader();
  /** The items of the current value that are rejected already. */
  readonly #lost = new Map<string, InputError>();
  /** Whether the current value can have a text that is too long. */
  #isLong = false;
  /** The text of the current value, if it is a record as on a page. */
  #json: string | undefined;

  constructor(file: string, options: ItemOptions) {
    this.#file = file;
    this.#options = options;
  }

  read(values: readonly RawValue[]): Item[] {
    this.#items = [];
    for (const raw of values) this.#addRaw(raw);
    return this.#items;
  }

  /** Notes that another reader has read results of the current page. */
  skipResults(results: PageItems): void {
    this.#streamed.join(results);
  }

  /** The items of the page whose results were read as separate values. */
  get streamed(): PageItems {
    return this.#streamed.items;
  }

  #addRaw(raw: RawValue): void {
    const parsed = parseJson(raw, this.#file);
    this.#line = raw.line;
    this.#isLong = raw.text.length > MAX_TEXT;
    const isResult = raw.path.startsWith('results[');
    const streamed = this.#streamed;
    if (raw.elements !== undefined) this.#streamed = new PageItemsReader();
    if ('kind' in parsed) {
      const elements = elementsIn(raw);
      if (isResult) streamed.add(undefined, undefined);
      if (elements === undefined) this.#items.push(parsed);
      else for (const element of elements) this.#addRaw(element);
      return;
    }
    this.#lost.clear();
    this.#json = parsed.isCanonical ? raw.text : undefined;
    this.#addLost(parsed);
    if (raw.elements === undefined || !isObject(parsed.value)) {
      const collection = this.#addValue(parsed.value, raw.path, 0);
      if (isResult) streamed.add(collection, parsed.value);
    } else {
      this.#addPage(parsed.value, raw.path, 0, { count: raw.elements, reader: streamed });
    }
  }

  #addLost({ lost }: Parsed): void {
    for (const [path, item] of lost ?? []) {
      this.#lost.set(path, item);
      this.#items.push(item);
    }
  }

  /** @returns the collection that the value is an item of, or undefined */
  #addValue(value: unknown, path: string, depth: number): Collection | undefined {
    if (value === null && this.#lost.has(path)) return undefined;
    if (Array.isArray(value) && depth < MAX_DEPTH) {
      for (const [index, item] of value.entries()) this.#addValue(item, `${path}[${index}]`, depth + 1);
    } else if (isObject(value) && 'results' in value && depth < MAX_DEPTH) {
      this.#addPage(value, path, depth, undefined);
    } else if (isObject(value) && 'data_type' in value) {
      const record = this.#parsed(path, () => parseRecord(value, path), value);
      this.#items.push(isInputError(record) ? record : { kind: 'record', record, place: this.#place(path), json: this.#json });
      return 'data';
    } else if (isObject(value) && 'former_handles' in value) {
      const state = this.#parsed(path, () => parseAccountState(value, path), value);
      this.#items.push(isInputError(state) ? state : { kind: 'state', state, place: this.#place(path) });
    } else if (isObject(value) && 'excluded_at' in value) {
      const exclusion = this.#parsed(path, () => parseExclusion(value, path), value);
      this.#items.push(isInputError(exclusion) ? exclusion : { kind: 'exclusion', exclusion, place: this.#place(path) });
    } else if (isObject(value) && 'gone_at' in value) {
      const gone = this.#parsed(path, () => parseGoneItem(value, path), value);
      this.#items.push(isInputError(gone) ? gone : { kind: 'gone', gone });
    } else if (isObject(value) && ('data' in value || isProfile(value))) {
      this.#addAccount(value, path);
      return 'account';
    } else if (!(isObject(value) && depth < MAX_DEPTH && this.#addReject(value, path, depth))) {
      this.#items.push(this.#explained(unknownItem(value, this.#place(path))));
    }
    return undefined;
  }

  /**
   * Adds the corrected item of a line of a rejects file.
   * @returns whether the value is such a line
   */
  #addReject(value: JsonObject, path: string, depth: number): boolean {
    const line = this.#options.openAgain === undefined ? undefined : rejectLineIn(value);
    if (line === undefined) return false;
    if (line.item === undefined) {
      if (line.file !== undefined && this.#options.openAgain !== undefined) this.filesToReadAgain.push(this.#options.openAgain(line.file));
      return true;
    }
    const field = at(path, 'item');
    const raw = { text: typeof line.item === 'string' ? line.item : '', line: this.#line, path: field };
    const corrected = typeof line.item === 'string' ? parseJson(raw, this.#file) : { value: line.item };
    if ('kind' in corrected) this.#items.push(corrected);
    else {
      this.#addLost(corrected);
      this.#addValue(corrected.value, field, depth + 1);
    }
    return true;
  }

  /** Returns an input error that names the other command if the item is a snapshot. */
  #explained(inputError: InputError): InputError {
    const { item } = inputError;
    const other = isObject(item) ? ifSnapshot(item, this.#file, this.#options.command) : undefined;
    return other === undefined ? inputError : { ...inputError, ...other };
  }

  /**
   * Adds the items of a page even if its envelope is wrong. A wrong envelope is a separate input error.
   * @param streamed the results that were read before the page
   */
  #addPage(
    page: JsonObject,
    path: string,
    depth: number,
    streamed: { readonly count: number; readonly reader: PageItemsReader } | undefined,
  ): void {
    const { results, ...frame } = page;
    const envelope = this.#parsed(path, () => parseEnvelope(Array.isArray(results) ? { ...frame, results: [] } : page, path), frame);
    if (isInputError(envelope)) this.#items.push(envelope);
    if (!Array.isArray(results)) return;
    const { count: items, reader } = streamed ?? { count: results.length, reader: new PageItemsReader() };
    for (const [index, item] of results.entries()) reader.add(this.#addValue(item, at(path, `results[${index}]`), depth + 1), item);
    if (isInputError(envelope)) return;
    const { count, next, previous } = envelope;
    this.#items.push({ kind: 'page', page: { ...reader.items, count, next, previous, items } });
  }

  /** Adds the records of an account, then the account with its valid records. */
  #addAccount(value: JsonObject, path: string): void {
    const account = withRecords(value);
    const profile = this.#parsed(path, () => parseProfile(account, path), value);
    if (isInputError(profile)) {
      // a snapshot lacks a field of an account
      this.#items.push(ACCOUNT_FIELDS.every((field) => field in account) ? profile : this.#explained(profile));
      return;
    }
    const place = this.#place(path);
    const data: ChangeRecord[] = [];
    for (const [index, item] of profile.data.entries()) {
      const within = at(path, `data[${index}]`);
      if (item === null && this.#lost.has(within)) continue;
      const record = this.#parsed(within, () => parseOwnRecord(item, profile, within), item);
      if (!isInputError(record)) data.push(record);
      this.#items.push(isInputError(record) ? record : { kind: 'record', record, place });
    }
    this.#items.push({ kind: 'account', account: { ...profile, data }, place });
  }

  /** Returns the result of a parser, or an input error for what is wrong with the item at a path. */
  #parsed<T extends object>(path: string, parse: () => T, item: unknown): T | InputError {
    const checked = () => {
      const parsed = parse();
      if (this.#isLong) checkLengths(parsed, path);
      return parsed;
    };
    return orInputError(checked, this.#place(''), item);
  }

  #place(field: string): Place {
    return placeIn({ file: this.#file, line: this.#line }, field);
  }
}

/** Whether a value is an account without its records. A snapshot has other fields, or not all of these. */
function isProfile(value: JsonObject): boolean {
  return 'screen_name' in value && 'profile_image_url' in value && 'display_name' in value && !('observed_at' in value);
}

/** Returns an account with empty `data` if it has none. The number of its pages is derived from its records. */
function withRecords(account: JsonObject): JsonObject {
  return 'data' in account && 'data_page_count' in account ? account : { data: [], data_page_count: 0, ...account };
}

export function isInputError(parsed: object): parsed is InputError {
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
export function orInputError<T extends object>(parse: () => T, origin: Place, item: unknown): T | InputError {
  try {
    return parse();
  } catch (error) {
    return brokenRule(error, origin, item);
  }
}
