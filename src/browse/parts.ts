import type { DaySpan } from '../contract/snapshots/snapshot-days.ts';
import type { HandleOfRow } from '../store/accounts/stored-accounts.ts';
import { byteText } from './markup.ts';
import { ABOUT, CHANGED_ACCOUNTS, CHANGES_FEED, folderOf, HOME, NOT_FOUND_FILE } from './paths.ts';

/** The number of pages of changes in a part. */
export const PAGES_IN_PART = 500;

/** Browse files that are rendered together. */
export interface BrowsePart {
  /** Unique. It is sorted as the parts are. */
  readonly name: string;
  /** What the files of the part are. */
  readonly kind: PartKind;
  /** The number of the part among those of its kind, from 0. For accounts this is the number of their folder. */
  readonly index: number;
}

/** The files of `names` and `search` depend only on the names of accounts: the lists by display name, and the search index. */
type PartKind = 'home' | 'changes' | 'accounts' | 'account' | 'names' | 'search';

/**
 * Returns all parts.
 * @param changes the number of pages of changes
 */
export function partsOf(changes: number): readonly BrowsePart[] {
  return [
    ...parts('account', FOLDERS),
    ...parts('accounts', 1),
    ...parts('changes', Math.ceil(changes / PAGES_IN_PART)),
    ...parts('home', 1),
    ...parts('names', 1),
    ...parts('search', 1),
  ];
}

function parts(kind: PartKind, count: number): BrowsePart[] {
  return Array.from({ length: count }, (_, index) => ({ name: partName(kind, index), kind, index }));
}

function partName(kind: PartKind, index: number): string {
  if (kind === 'account') return `account/${index.toString(16).padStart(2, '0')}`;
  return kind === 'changes' ? `${kind}/${index}` : kind;
}

const CHANGES = /^browse\/changes\/([1-9]\d{0,14})\.(?:html|atom)$/;
const ACCOUNT = /^browse\/account\/([0-9a-f]{2})\/[^/]+\.(?:html|atom)$/;
const MONTH = /^browse\/months\/\d{4}-\d\d\.html$/;

/** The files of the part `home` with fixed paths. */
const HOME_FILES: readonly string[] = [HOME, CHANGES_FEED, ABOUT, CHANGED_ACCOUNTS, NOT_FOUND_FILE];

/** Returns the name of the part that a path belongs to; undefined if it is not the path of a browse file. */
export function partOf(path: string): string | undefined {
  const [, page] = CHANGES.exec(path) ?? [];
  if (page !== undefined) return partName('changes', Math.floor((Number(page) - 1) / PAGES_IN_PART));
  const [, folder] = ACCOUNT.exec(path) ?? [];
  if (folder !== undefined) return `account/${folder}`;
  if (HOME_FILES.includes(path) || path.startsWith('browse/assets/') || path.startsWith('browse/fields/') || MONTH.test(path))
    return 'home';
  if (path.startsWith('browse/accounts/')) return 'accounts';
  if (path.startsWith('browse/names/')) return 'names';
  return path.startsWith('browse/search/') ? 'search' : undefined;
}

/** A file of the HTML pages. */
export interface BrowseFile {
  /** Relative to the root of the tree, with slashes. */
  readonly path: string;
  /**
   * Returns the bytes; undefined if they are those of the present file. The bytes are valid until another file is rendered.
   */
  readonly render: (() => readonly Uint8Array[]) | undefined;
}

/** The state of the store from which the present browse files of a tree were rendered. */
export interface RenderedState {
  /** The revision of the store; -1 if it is unknown. */
  readonly revision: number;
  /** The number of the oldest records that are the same as then. */
  readonly records: number;
  /** Whether the parts `names` and `search` are the same as then. */
  readonly names: boolean;
  /** The days with snapshots then; undefined: none was known. */
  readonly snapshot_days?: readonly DaySpan[] | undefined;
  /** The paths of the present files of a part, in order; undefined: unknown. */
  readonly paths?: Iterable<string> | undefined;
}

/** A tree without browse files, or with unknown ones. */
export const NOTHING_RENDERED: RenderedState = { revision: -1, records: 0, names: false };

/** The number of folders of `browse/account/`. */
export const FOLDERS = 256;

/** Returns the row numbers of the accounts that have a handle in each folder, in the order of the handles. It holds about 9 bytes for each handle. */
export function rowsByFolder(handles: Iterable<HandleOfRow>): readonly (readonly number[])[] {
  const rows: number[][] = Array.from({ length: FOLDERS }, () => []);
  for (const { id, handle } of handles) rows[folderOf(byteText(handle))]?.push(id);
  return rows;
}
