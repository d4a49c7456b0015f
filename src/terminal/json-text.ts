import { encodeJson, isObject } from '../contract/json.ts';

/**
 * Yields an object's JSON and a line break in parts. The items of a generated list are separate parts. The names of fields are
 * in snake_case, as in the API: `pageSets` becomes `page_sets`.
 */
export function* jsonTexts(object: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${encodeJson(snakeCase(name))}:`;
    before = ',';
    if (isGenerated(value)) yield* listTexts(value);
    else yield encodeJson(withSnakeCase(value));
  }
  yield before === '{' ? '{}\n' : '}\n';
}

function* listTexts(items: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + encodeJson(withSnakeCase(item));
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isGenerated(value: unknown): value is Iterable<unknown> {
  return isObject(value) && Symbol.iterator in value;
}

function withSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCase);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), withSnakeCase(inner)]));
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
