import { FAILURES } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';
import type { RejectOptions } from './source.ts';

type JsonObject = { readonly [key: string]: unknown };

/** One line of a rejects file that is read again, after the item in it was corrected. */
export interface RejectLine {
  /** The rejected item: a JSON value, or text that is JSON after it was corrected. Undefined: the whole file is read again. */
  readonly item: unknown;
  readonly file: string | undefined;
  readonly options: RejectOptions;
}

/** Returns the line of a rejects file, or undefined if the value is something else. */
export function rejectLineIn(value: JsonObject): RejectLine | undefined {
  const { code, file, expected, found, item } = value;
  if (typeof code !== 'string' || typeof expected !== 'string' || typeof found !== 'string' || !Object.hasOwn(FAILURES, code))
    return undefined;
  if (item === undefined && typeof file !== 'string') return undefined;
  const options = isObject(value['options']) ? value['options'] : {};
  const { from, observed_at } = options;
  return {
    item,
    file: typeof file === 'string' ? file : undefined,
    options: {
      from: typeof from === 'string' ? from : undefined,
      observed_at: typeof observed_at === 'string' ? observed_at : undefined,
      unescape: options['unescape'] === true ? true : undefined,
    },
  };
}
