import { FOLDERS } from './account-index.ts';

/** The number of pages of changes or accounts in a part. */
export const PAGES_IN_PART = 500;

/** The number of archives of the Atom feed of all changes in a part. */
export const ARCHIVES_IN_PART = 500;

/** Browse files that are rendered together. */
export interface BrowsePart {
  /** Unique. It is sorted as the parts are. */
  readonly name: string;
  /** What the files of the part are. */
  readonly kind: PartKind;
  /** The number of the part among those of its kind, from 0. For accounts this is the number of their folder. */
  readonly index: number;
}

export type PartKind = 'home' | 'changes' | 'accounts' | 'account' | 'feeds' | 'search';

/**
 * Returns all parts.
 * @param changes the number of pages of changes
 * @param accounts the number of pages of accounts
 * @param archives the number of archives of the Atom feed
 */
export function partsOf(changes: number, accounts: number, archives: number): readonly BrowsePart[] {
  return [
    ...parts('account', FOLDERS),
    ...parts('accounts', Math.ceil(accounts / PAGES_IN_PART)),
    ...parts('changes', Math.ceil(changes / PAGES_IN_PART)),
    ...parts('feeds', Math.max(1, Math.ceil(archives / ARCHIVES_IN_PART))),
    ...parts('home', 1),
    ...parts('search', 1),
  ];
}

function parts(kind: PartKind, count: number): BrowsePart[] {
  return Array.from({ length: count }, (_, index) => ({ name: partName(kind, index), kind, index }));
}

function partName(kind: PartKind, index: number): string {
  if (kind === 'account') return `account/${index.toString(16).padStart(2, '0')}`;
  return kind === 'changes' || kind === 'accounts' || kind === 'feeds' ? `${kind}/${index}` : kind;
}

const PAGE = /^browse\/(changes|accounts)\/([1-9]\d{0,14})\.html$/;
const ACCOUNT = /^browse\/account\/([0-9a-f]{2})\/[^/]+\.(?:html|atom)$/;
const FEED = /^browse\/changes(?:\/archive-([1-9]\d{0,14}))?\.atom$/;
const MONTH = /^browse\/months\/\d{4}-\d\d\.html$/;

/** Returns the name of the part that a path belongs to; undefined if it is not the path of a browse file. */
export function partOf(path: string): string | undefined {
  const [, kind, page] = PAGE.exec(path) ?? [];
  if (kind === 'changes' || kind === 'accounts') return partName(kind, Math.floor((Number(page) - 1) / PAGES_IN_PART));
  const [, folder] = ACCOUNT.exec(path) ?? [];
  if (folder !== undefined) return `account/${folder}`;
  const feed = FEED.exec(path);
  if (feed !== null) return partName('feeds', Math.floor((Number(feed[1] ?? 1) - 1) / ARCHIVES_IN_PART));
  if (path === 'index.html' || path.startsWith('browse/assets/') || MONTH.test(path)) return 'home';
  return path.startsWith('browse/search/') ? 'search' : undefined;
}
