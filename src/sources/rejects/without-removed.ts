import { encodeJson } from '../../contract/json.ts';
import type { InputError } from '../source.ts';
import { namesIn, namesOfFile } from './item-names.ts';

/** Recognizes accounts that were removed. */
export interface RemovedAccounts {
  /** Whether no account was removed. Then no text is searched. */
  readonly isEmpty: boolean;
  /** Whether an item that is not valid is of a removed account. */
  readonly hasItem: (item: unknown) => boolean;
  readonly hasHandle: (handle: string) => boolean;
  readonly hasStableId: (id: string) => boolean;
}

/**
 * Returns an input error that can be shown and written to a file; undefined if its item is of a removed account. If the item only
 * mentions a removed account, the error lacks the item: it can be a damaged text of that account, or a list with other accounts.
 */
export function withoutRemoved(inputError: InputError, removed: RemovedAccounts): InputError | undefined {
  const { item, ...rest } = inputError;
  if (removed.isEmpty) return inputError;
  if (removed.hasItem(item)) return undefined;
  if (!namesRemoved(inputError, removed)) return inputError;
  return { ...rest, found: 'an item that is not shown, because it names an account that was removed' };
}

/** Whether the file of an item, its error or its text names a removed account. */
function namesRemoved({ place, found, item }: InputError, removed: RemovedAccounts): boolean {
  const isRemoved = (name: string) => removed.hasHandle(name) || removed.hasStableId(name);
  if (namesOfFile(place.file ?? '').some(isRemoved)) return true;
  return [found, textOf(item)].map(namesIn).some(({ handles, stableIds }) => {
    return handles.some((handle) => removed.hasHandle(handle)) || stableIds.some((id) => removed.hasStableId(id));
  });
}

/** Returns the text of an item; '' if it is nested too deeply, and therefore not written either. */
function textOf(item: unknown): string {
  try {
    return typeof item === 'string' ? item : encodeJson(item ?? null);
  } catch {
    return '';
  }
}
