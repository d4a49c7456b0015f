import { parseAccount } from '../contract/account.ts';
import { parseEnvelope } from '../contract/envelope.ts';
import type { Place } from '../contract/failure.ts';
import { cut, isObject, show } from '../contract/json.ts';
import { parseRecord } from '../contract/record.ts';
import { Violation } from '../contract/shape.ts';
import { jsonValues } from './json-values.ts';
import { NotJson, type RawValue } from './raw-value.ts';
import type { Flaw, Input, Item } from './source.ts';
import { textOf } from './text.ts';

/**
 * What an input holds, in batches: change records and accounts, whether they stand in saved pages of
 * either collection, in NDJSON or in JSON arrays. What is neither comes as a flaw with its reason, and
 * the reading goes on where that can be done safely.
 * @throws Failure where the bytes themselves cannot be read
 */
export async function* itemsOf(input: Input): AsyncGenerator<Item[]> {
  try {
    for await (const values of jsonValues(textOf(input))) yield values.flatMap((value) => [...itemsIn(value, input.name)]);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const place = { file: input.name, line: error.line };
    yield [{ kind: 'flaw', code: 'bad-json', place, expected: error.expected, found: error.found }];
  }
}

function* itemsIn(raw: RawValue, file: string): Generator<Item> {
  let value: unknown;
  try {
    value = JSON.parse(raw.text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\s*\(line \d+ column \d+\)$/, '') : '';
    yield {
      kind: 'flaw',
      code: 'bad-json',
      place: place(file, raw.line, raw.path),
      expected: 'JSON',
      found: `${cut(raw.text.trim())} (${reason})`,
      item: raw.text,
    };
    return;
  }
  yield* itemsOfValue(value, file, raw.line, raw.path);
}

function* itemsOfValue(value: unknown, file: string, line: number, path: string): Generator<Item> {
  try {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) yield* itemsOfValue(item, file, line, `${path}[${index}]`);
    } else if (isObject(value) && 'results' in value) {
      const { results } = parseEnvelope(value, path);
      for (const [index, item] of results.entries())
        yield* itemsOfValue(item, file, line, path === '' ? `results[${index}]` : `${path}.results[${index}]`);
    } else if (isObject(value) && 'data_type' in value) {
      yield { kind: 'record', record: parseRecord(value, path), place: place(file, line, path) };
    } else if (isObject(value) && 'data' in value) {
      const account = parseAccount(value, path);
      for (const record of account.data) yield { kind: 'record', record, place: place(file, line, path) };
      yield { kind: 'account', account, place: place(file, line, path) };
    } else {
      yield unknownItem(value, place(file, line, path));
    }
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    yield {
      kind: 'flaw',
      code: 'bad-field',
      place: place(file, line, error.field),
      expected: error.expected,
      found: error.found,
      item: value,
    };
  }
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
