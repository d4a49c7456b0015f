import { parseOwnRecord, parseProfile } from '../contract/account.ts';
import { EXPORT_FORMAT, type ExportHeader, parseAccountState, parseExportHeader } from '../contract/account-state.ts';
import { parseEnvelope } from '../contract/envelope.ts';
import type { Place } from '../contract/failure.ts';
import { isObject, show } from '../contract/json.ts';
import { FIRST_ID_WITHOUT_ROOM, leavesRoom } from '../contract/own-id.ts';
import { type ChangeRecord, parseRecord } from '../contract/record.ts';
import { at, Violation } from '../contract/shape.ts';
import { ExportLines } from './export-lines.ts';
import { brokenJson, parseJson } from './json-text.ts';
import { jsonValues } from './json-values.ts';
import { NotJson, type RawValue } from './raw-value.ts';
import type { Flaw, Input, Item } from './source.ts';
import { textOf } from './text.ts';

/**
 * What an input holds, in batches: change records and accounts, whether they stand in saved pages of
 * either collection, in NDJSON or in JSON arrays, or in an export of a store. What is neither comes as a flaw with its reason, and
 * the reading goes on where that can be done safely.
 * @throws Failure where the bytes themselves cannot be read
 */
export async function* itemsOf(input: Input): AsyncGenerator<Item[]> {
  let exported: ExportLines | undefined;
  try {
    for await (const values of jsonValues(textOf(input))) {
      const [first, ...others] = values;
      const header = exported === undefined && first?.line === 1 ? headerIn(first, input.name) : undefined;
      if (header !== undefined && isFlaw(header)) {
        yield [header];
        return;
      }
      if (header !== undefined) exported = new ExportLines(header);
      const items = (header === undefined ? values : others).flatMap((value) => [...itemsIn(value, input.name)]);
      exported?.count(items);
      // what a store holds is not refused a second time
      yield exported === undefined ? items.map(withoutHighIds) : items;
    }
    const flaw = exported?.flawIn(input.name);
    if (flaw !== undefined) yield [flaw];
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const place = { file: input.name, line: error.line };
    yield [{ kind: 'flaw', code: 'bad-json', place, expected: error.expected, found: error.found, item: error.text }];
  }
}

/** The first line of an export; undefined where it is something else. */
function headerIn(raw: RawValue, file: string): ExportHeader | Flaw | undefined {
  const value = raw.text.includes(EXPORT_FORMAT) ? parseJson(raw.text) : undefined;
  if (!isObject(value) || value['format'] !== EXPORT_FORMAT) return undefined;
  return orFlaw(() => parseExportHeader(value), file, raw.line, value);
}

/** An item, or the flaw of a record whose id is so high that no later record could get a higher one. */
function withoutHighIds(item: Item): Item {
  if (item.kind === 'account') return { ...item, account: { ...item.account, data: item.account.data.filter(leavesRoom) } };
  if (item.kind !== 'record' || leavesRoom(item.record)) return item;
  const place = { ...item.place, field: at(item.place.field ?? '', 'id') };
  const expected = `an id below ${FIRST_ID_WITHOUT_ROOM}: later records need higher ids`;
  return { kind: 'flaw', code: 'bad-field', place, expected, found: show(item.record.id), item: item.record };
}

/** How deep items may lie in arrays and pages. */
const DEEPEST = 4;

function* itemsIn(raw: RawValue, file: string): Generator<Item> {
  const value = parseJson(raw.text);
  if (value instanceof Error) yield brokenJson(raw.text, value, place(file, raw.line, raw.path));
  else yield* itemsOfValue(value, file, raw.line, raw.path, 0);
}

function* itemsOfValue(value: unknown, file: string, line: number, path: string, depth: number): Generator<Item> {
  if (Array.isArray(value) && depth < DEEPEST) {
    for (const [index, item] of value.entries()) yield* itemsOfValue(item, file, line, `${path}[${index}]`, depth + 1);
  } else if (isObject(value) && 'results' in value && depth < DEEPEST) {
    yield* itemsOfPage(value, file, line, path, depth);
  } else if (isObject(value) && 'data_type' in value) {
    const record = orFlaw(() => parseRecord(value, path), file, line, value);
    yield isFlaw(record) ? record : { kind: 'record', record, place: place(file, line, path) };
  } else if (isObject(value) && 'former_handles' in value) {
    const state = orFlaw(() => parseAccountState(value, path), file, line, value);
    yield isFlaw(state) ? state : { kind: 'state', state, place: place(file, line, path) };
  } else if (isObject(value) && 'data' in value) {
    yield* itemsOfAccount(value, file, line, path);
  } else {
    yield unknownItem(value, place(file, line, path));
  }
}

/** What stands in a page comes whether its envelope is right or not: the envelope is a flaw of its own. */
function* itemsOfPage(page: { readonly [key: string]: unknown }, file: string, line: number, path: string, depth: number): Generator<Item> {
  const { results, ...frame } = page;
  const envelope = orFlaw(() => parseEnvelope(Array.isArray(results) ? { ...frame, results: [] } : page, path), file, line, frame);
  if (isFlaw(envelope)) yield envelope;
  if (!Array.isArray(results)) return;
  for (const [index, item] of results.entries()) yield* itemsOfValue(item, file, line, at(path, `results[${index}]`), depth + 1);
}

/** An account's records, then the account with those of them that are right. */
function* itemsOfAccount(value: object, file: string, line: number, path: string): Generator<Item> {
  const profile = orFlaw(() => parseProfile(value, path), file, line, value);
  if (isFlaw(profile)) {
    yield profile;
    return;
  }
  const where = place(file, line, path);
  const data: ChangeRecord[] = [];
  for (const [index, item] of profile.data.entries()) {
    const record = orFlaw(() => parseOwnRecord(item, profile, at(path, `data[${index}]`)), file, line, item);
    if (!isFlaw(record)) data.push(record);
    yield isFlaw(record) ? record : { kind: 'record', record, place: where };
  }
  yield { kind: 'account', account: { ...profile, data }, place: where };
}

/** What a parser gives, or the flaw that it finds in an item. */
function orFlaw<T extends object>(parse: () => T, file: string, line: number, item: unknown): T | Flaw {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { kind: 'flaw', code: 'bad-field', place: place(file, line, error.field), expected: error.expected, found: error.found, item };
  }
}

function isFlaw(parsed: object): parsed is Flaw {
  return 'kind' in parsed && parsed.kind === 'flaw';
}

function unknownItem(value: unknown, where: Place): Flaw {
  const isAnswer = isObject(value) && typeof value['detail'] === 'string';
  return {
    kind: 'flaw',
    code: 'bad-field',
    place: where,
    expected: 'a change record (with data_type), an account (with data) or a page (with results)',
    found: isAnswer ? `an error answer, ${show(value['detail'])}` : show(value),
    item: value,
  };
}

function place(file: string, line: number, field: string): Place {
  return field === '' ? { file, line } : { file, line, field };
}
