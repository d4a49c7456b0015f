import { isObject } from '../../contract/json.ts';
import { stringEnd } from './parse-loss.ts';

/** Matches the last escape in a name, up to the colon after the name. It also matches some values, which costs only time. */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/s;
const COLON = /\s*:/y;

/**
 * Returns the value of a JSON text, with the names exactly as written.
 * JSON.parse of Node 24 (V8 13.6) returns a wrong name if the name is one escaped character, such as `\u0061`, and an earlier
 * object with the same preceding names has the name `\\`. Therefore escaped names are replaced while the text is parsed.
 * @throws SyntaxError if the text is not JSON
 */
export function parseWithNames(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!ESCAPED_NAME.test(text)) return value;
  const { numbered, names } = numberNames(text);
  return JSON.parse(numbered, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([number, field]) => [names[Number(number)], field])) : inner,
  );
}

/** Replaces each name in a valid JSON text by its number. */
function numberNames(text: string): { readonly numbered: string; readonly names: readonly string[] } {
  const names: string[] = [];
  let numbered = '';
  let copied = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', COLON.lastIndex)) {
    const end = stringEnd(text, start);
    COLON.lastIndex = end;
    if (COLON.test(text)) {
      names.push(String(JSON.parse(text.slice(start, end))));
      numbered += `${text.slice(copied, start)}"${names.length - 1}"`;
      copied = end;
    } else COLON.lastIndex = end;
  }
  return { numbered: numbered + text.slice(copied), names };
}
