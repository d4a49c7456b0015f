import { EXPORT_FORMAT, type ExportHeader, parseExportHeader } from '../contract/account-state.ts';
import { FIRST_ID_WITHOUT_ROOM, leavesRoom } from '../contract/generated-id.ts';
import { isObject, show } from '../contract/json.ts';
import { at } from '../contract/shape.ts';
import { decode } from './decode.ts';
import { ExportLines } from './export-lines.ts';
import { plainCommand } from './hint-command.ts';
import { type ItemOptions, ItemReader, isInputError, orInputError } from './item-reader.ts';
import { parseJson } from './json-text.ts';
import { jsonValues } from './json-values.ts';
import { NotJson, type RawValue } from './raw-value.ts';
import { notJson, unreadableInput } from './rejection.ts';
import type { Input, InputError, Item } from './source.ts';
import { filesIn } from './unpack/unpack.ts';

/**
 * Reads change records and accounts from an input, in batches. If it is an archive, reads its members.
 * The input is saved pages of either collection, also in a web archive, NDJSON, JSON arrays, an export of a store, or a
 * corrected rejects file. A page follows its items.
 * Anything else becomes an input error with its reason, also bytes that cannot be read. Reading continues after it if that
 * is safe.
 * @throws Failure if a web archive cannot be read
 */
export async function* itemsOf(input: Input, options: ItemOptions = { command: plainCommand }): AsyncGenerator<Item[]> {
  for await (const files of filesIn(input)) {
    if ('kind' in files) yield [files];
    else for (const file of files) yield* itemsOfFile(file, options);
  }
}

async function* itemsOfFile(file: Input, options: ItemOptions): AsyncGenerator<Item[]> {
  const reader = new ItemReader(file.name, options);
  yield* itemsIn(file, reader, options);
  // without openAgain: a file that is read again does not name further files
  for (const again of reader.filesToReadAgain) yield* itemsOf(again, { command: options.command });
}

async function* itemsIn(input: Input, reader: ItemReader, { command }: ItemOptions): AsyncGenerator<Item[]> {
  let exported: ExportLines | undefined;
  try {
    for await (const values of jsonValues(decode(input, { verb: 'import', command }))) {
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
    yield [error instanceof NotJson ? notJson(error, input.name) : unreadableInput(error)];
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
