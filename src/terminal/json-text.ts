import { encodeJson, isObject } from '../contract/json.ts';

/** Yields an object's JSON and a line break in parts. The items of a generated list are separate parts. */
export function* jsonTexts(object: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${encodeJson(name)}:`;
    before = ',';
    if (isGenerated(value)) yield* listTexts(value);
    else yield encodeJson(value);
  }
  yield before === '{' ? '{}\n' : '}\n';
}

function* listTexts(items: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + encodeJson(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isGenerated(value: unknown): value is Iterable<unknown> {
  return isObject(value) && Symbol.iterator in value;
}
