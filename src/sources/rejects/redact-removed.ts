import { encodeJson } from '../../contract/json.ts';
import type { InputError } from '../source.ts';

/** The names in an item that may be damaged. */
interface ItemNames {
  readonly handles: string[];
  readonly stableIds: string[];
}

/** The keys of handles, of stable ids, and of profile pages in all documents that src/sources/formats and src/contract read. */
const KEYS = {
  handle: ['screen_name', 'account', 'username', 'acct', 'handle', 'former_names', 'changedFrom', 'changedTo'],
  stableId: ['id', 'id_str', 'did', 'stable_id', 'accountId', 'user_id', 'user_id_str', 'author_id'],
  page: ['url', 'uri'],
} as const;

type Kind = keyof typeof KEYS;

const KINDS: readonly Kind[] = ['handle', 'stableId', 'page'];
const KIND_OF_KEY: ReadonlyMap<string, Kind> = new Map(KINDS.flatMap((kind) => KEYS[kind].map((key) => [key, kind])));
/** The maximum length of a handle or stable id that is searched in texts. */
const MAX_NAME = 300;
/** In a change record, `id` is the number of the record. */
const IN_RECORD = /"account"\s*:\s*"/;
const PROFILE_PAGE = /^https?:\/\/([^/]+)\/(?:@|users\/)([^/]+)/;

/** Returns the handles and stable ids in a text that may be damaged JSON: the values of the keys that hold them. */
export function namesIn(text: string): ItemNames {
  const plain = text.replace(/\\(?:u([\da-f]{4})|\/)/gi, (_, hex: string | undefined) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : '/',
  );
  const isRecord = IN_RECORD.test(plain);
  const names: ItemNames = { handles: [], stableIds: [] };
  // damaged JSON can lack a quote, so every part between two quotes may be a string
  const parts = plain.split('"');
  for (const [index, key] of parts.entries()) {
    const kinds = index === 0 ? kindsOfCut(key) : [KIND_OF_KEY.get(key)];
    const isNumberOfRecord = isRecord && key === 'id';
    for (const kind of isNumberOfRecord ? [] : kinds) if (kind !== undefined) addNames(names, kind, valuesAfter(parts, index));
  }
  return names;
}

/** Returns what the name of a file can be: a handle or stable id with any endings. */
function namesOfFile(path: string): string[] {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const names = [];
  for (let end = file.length; end > 0; end = file.lastIndexOf('.', end - 1)) names.push(file.slice(0, end));
  return names;
}

/** Returns what a key can be whose beginning is cut off. */
function kindsOfCut(end: string): Kind[] {
  return KINDS.filter((kind) => KEYS[kind].some((key) => key.endsWith(end)));
}

/** Returns the value after a key: a number, a string, or the strings of a list. */
function valuesAfter(parts: readonly string[], index: number): string[] {
  const between = parts[index + 1]?.trim() ?? '';
  if (!between.startsWith(':')) return [];
  const start = between.slice(1).trimStart();
  if (start !== '' && start !== '[') return /^\d+/.exec(start) ?? [];
  const values = [];
  for (let at = index + 2; at < parts.length; at += 2) {
    values.push(parts[at] ?? '');
    if (start === '' || parts[at + 1]?.trim() !== ',') break;
  }
  return values;
}

function addNames({ handles, stableIds }: ItemNames, kind: Kind, values: readonly string[]): void {
  for (const value of values.filter(({ length }) => length <= MAX_NAME)) {
    const [, server, user] = PROFILE_PAGE.exec(value) ?? [];
    if (kind === 'stableId') stableIds.push(value);
    else if (kind === 'handle') handles.push(value);
    else if (server !== undefined) handles.push(`${user}@${server}`);
  }
}

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
