import { FAILURES } from '../../contract/failure-codes.ts';
import { parseInstant, timestampOf } from '../../contract/instant.ts';
import { isObject } from '../../contract/json.ts';
import { FORMAT_NAMES } from '../formats/all-formats.ts';
import type { CaptureContext, JsonObject } from '../formats/format.ts';
import type { ObserveContext } from '../snapshots/snapshot-reader.ts';
import type { RejectOptions } from '../source.ts';

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

/** Returns the options that a rejects file keeps; undefined if all have their default values. */
export function optionsOf({ from, observedAt, ...context }: CaptureContext & Pick<ObserveContext, 'from'>): RejectOptions | undefined {
  if (from === undefined && observedAt === undefined && !context.unescape) return undefined;
  return {
    from,
    observed_at: observedAt === undefined ? undefined : timestampOf(observedAt),
    unescape: context.unescape ? true : undefined,
  };
}

/** Returns the options of a run with those that a rejects file keeps. */
export function contextOf(context: ObserveContext, { from, observed_at, ...options }: RejectOptions): ObserveContext {
  return {
    ...context,
    from: FORMAT_NAMES.find((name) => name === from) ?? context.from,
    observedAt: (observed_at === undefined ? undefined : parseInstant(observed_at)) ?? context.observedAt,
    unescape: options.unescape ?? context.unescape,
  };
}
