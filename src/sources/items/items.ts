import { EXPORT_FORMAT, type ExportHeader, parseExportHeader } from '../../contract/accounts/account-state.ts';
import { FIRST_ID_WITHOUT_ROOM, leavesRoom } from '../../contract/generated-id.ts';
import { isObject, show } from '../../contract/json.ts';
import { at } from '../../contract/json-shape.ts';
import { plainCommand } from '../hint-command.ts';
import { valuesOf } from '../inputs/file-values.ts';
import { parseJson } from '../json/parse-json.ts';
import type { RawValue } from '../json/raw-value.ts';
import type { Input, InputError, Item } from '../source.ts';
import { filesIn } from '../unpack/unpack.ts';
import { type ItemOptions, ItemReader, isInputError, orInputError } from './item-reader.ts';
import type { PageItems } from './page-items.ts';

/**
 * Reads change records and accounts from an input, in batches. If it is an archive, reads its members.
 * The input is saved pages of either collection, also in a web archive, NDJSON, JSON arrays, an export of a store, or a
 * corrected rejects file. A page follows its items.
 * Anything else becomes an input error with its reason, also bytes that cannot be read. Reading continues after it if that
 * is safe.
 * @throws Failure if a web archive cannot be read
 */
export async function* itemsOf(input: Input, options: ItemOptions = { command: plainCommand }): AsyncGenerator<Item[]> {
  for await (const batch of batchesOf(input, options)) yield* batch.read();
}

/** A part of an input, which is divided into JSON values. The batches of an input must be read in their order, each once. */
export interface ItemBatch {
  /** Parses the values here. */
  readonly read: () => AsyncIterable<Item[]> | Iterable<Item[]>;
  /** The values, if another thread can parse them too. */
  readonly values?: BatchValues;
}

export interface BatchValues {
  readonly file: string;
  readonly values: readonly RawValue[];
  readonly isExport: boolean;
  /** Must be called instead of `read` if another thread has parsed the values. */
  readonly accept: (found: FoundItems) => void;
}

/** What values contained that another thread parsed. */
export interface FoundItems {
  readonly records: number;
  readonly others: readonly Item[];
  /** The results of a page that are among the values. */
  readonly results: PageItems;
}

/** Yields the batches of an input. They may be read later, but in their order. */
export async function* batchesOf(input: Input, options: ItemOptions): AsyncGenerator<ItemBatch> {
  for await (const files of filesIn(input)) {
    if ('kind' in files) yield constant(files);
    else for (const file of files) yield* batchesOfFile(file, options);
  }
}

async function* batchesOfFile(file: Input, options: ItemOptions): AsyncGenerator<ItemBatch> {
  const reader = new ItemReader(file.name, options);
  yield* batchesIn(file, reader, options);
  // without openAgain: a file that is read again does not name further files
  yield {
    read: async function* () {
      for (const again of reader.filesToReadAgain) yield* itemsOf(again, { command: options.command });
    },
  };
}

async function* batchesIn(input: Input, reader: ItemReader, { command }: ItemOptions): AsyncGenerator<ItemBatch> {
  let exported: ExportLines | undefined;
  let isWhole = true;
  for await (const all of valuesOf(input, { verb: 'import', command })) {
    if (!Array.isArray(all)) {
      isWhole = false;
      yield constant(all);
      continue;
    }
    const [first, ...others] = all;
    const header = exported === undefined && first?.line === 1 ? headerIn(first, input.name) : undefined;
    if (header !== undefined && isInputError(header)) {
      yield constant(header);
      return;
    }
    if (header !== undefined) exported = new ExportLines(header);
    for (const report of header?.incomplete ?? []) yield constant({ kind: 'incomplete', report });
    if (header?.snapshot_days !== undefined) yield constant({ kind: 'days', days: header.snapshot_days });
    yield batchOf(header === undefined ? all : others, input.name, reader, exported);
  }
  const lines = exported;
  if (lines === undefined || !isWhole) return;
  yield {
    read: () => {
      const inputError = lines.errorIn(input.name);
      return inputError === undefined ? [] : [[inputError]];
    },
  };
}

function constant(item: Item): ItemBatch {
  return { read: () => [[item]] };
}

function batchOf(values: readonly RawValue[], file: string, reader: ItemReader, exported: ExportLines | undefined): ItemBatch {
  return {
    read: () => {
      const items = readItems(reader, values, exported !== undefined);
      exported?.count(items);
      return [items];
    },
    values: {
      file,
      values,
      isExport: exported !== undefined,
      accept: ({ records, others, results }) => {
        exported?.count(others, records);
        reader.skipResults(results);
      },
    },
  };
}

/** Returns the items in values. @param isExport an export comes from a store, which accepted the ids before */
export function readItems(reader: ItemReader, values: readonly RawValue[], isExport: boolean): Item[] {
  const items = reader.read(values);
  return isExport ? items : items.map(withoutHighIds);
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

/** Counts the items of an export and compares them with the totals in its first line. */
class ExportLines {
  readonly #header: ExportHeader;
  #accounts = 0;
  #records = 0;
  #exclusions = 0;
  #gone = 0;
  #inputErrors = 0;

  constructor(header: ExportHeader) {
    this.#header = header;
  }

  /** @param records the number of records that are not among the items */
  count(items: readonly Item[], records = 0): void {
    this.#records += records;
    for (const { kind } of items) {
      if (kind === 'state') this.#accounts += 1;
      else if (kind === 'record') this.#records += 1;
      else if (kind === 'exclusion') this.#exclusions += 1;
      else if (kind === 'gone') this.#gone += 1;
      else if (kind === 'error') this.#inputErrors += 1;
    }
  }

  /** Returns an error if lines are missing or if there are too many. A rejected line counts as present. */
  errorIn(file: string): InputError | undefined {
    const { accounts, records, exclusions = 0, gone = 0 } = this.#header;
    const expected = accounts + records + exclusions + gone;
    const found = this.#accounts + this.#records + this.#exclusions + this.#gone + this.#inputErrors;
    const hasNoMore = this.#accounts <= accounts && this.#records <= records && this.#exclusions <= exclusions && this.#gone <= gone;
    const isWhole = expected === found && hasNoMore;
    if (isWhole) return undefined;
    return {
      kind: 'error',
      code: 'bad-source',
      place: { file },
      expected: `${linesText(accounts, records, exclusions, gone)}, according to the first line`,
      found: linesText(this.#accounts, this.#records, this.#exclusions, this.#gone),
      hint: 'the export is incomplete or was edited: copy it again, or export it again',
    };
  }
}

function linesText(accounts: number, records: number, exclusions: number, gone: number): string {
  const others = `${exclusions === 0 ? '' : ` and ${exclusions} exclusions`}${gone === 0 ? '' : ` and ${gone} gone items`}`;
  return `${accounts} accounts and ${records} records${others}`;
}
