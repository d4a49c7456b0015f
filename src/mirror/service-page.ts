import { hash } from 'node:crypto';
import { codeOf, Failure } from '../contract/failure.ts';
import { type Hint, hint, suggested } from '../contract/hint.ts';
import { cut, encodeJson, isObject } from '../contract/json.ts';
import { handle, identifier } from '../contract/json-shape.ts';
import type { Collection } from '../contract/pages/collection.ts';
import type { Envelope } from '../contract/pages/envelope.ts';
import { BadResponse, MAX_REDIRECTS, type Redirect } from '../http/http-client.ts';
import { envelopeIn, NoPage } from '../sources/archives/captured-page.ts';
import type { Exclusions } from '../store/exclusions/exclusions.ts';
import { excludedKey, type ItemKey } from '../store/mirror-state.ts';
import type { PageName } from './walk/reading-plan.ts';

/** What a mirror needs from a page: to know which items it has and which page is next. */
export interface PageContents {
  readonly count: number;
  readonly next: string | null;
  readonly items: readonly PageItem[];
}

export interface PageItem {
  /** The id of a record, or the screen name of an account. If it is missing, the SHA-256 of the item. */
  readonly key: ItemKey;
  /** Distinguishes accounts with the same screen name: the creation date, the first and the newest record; null for records. */
  readonly variant: string | null;
  /** The account of a record; null for accounts. */
  readonly account: string | null;
  /** The ids of the records of an account; undefined for records, and if the page is known from an earlier request. */
  readonly records?: readonly number[];
}

/** @throws BadResponse if the bytes are not a page of a collection, or are the last page in place of another */
export function parsePage({ collection, number }: PageName, bytes: Buffer): PageContents {
  const { count, next, previous, results } = envelopeOf(bytes);
  // without a link to the next page, nothing else shows which page it is; an empty page behind the last one may link to that
  if (next === null && previous !== null && results.length > 0) checkPrevious(number, previous);
  return {
    count,
    next,
    items: results.map((item) =>
      collection === 'data'
        ? recordItem(item)
        : { key: keyOf('account', item), variant: variantOf(item), account: null, records: recordIds(item) },
    ),
  };
}

/** Replaces the names of excluded accounts by hashes, because the store keeps the contents of some pages. */
export function withoutExcludedNames(contents: PageContents, exclusions: Pick<Exclusions, 'isEmpty' | 'hasHandle'>): PageContents {
  if (exclusions.isEmpty) return contents;
  const items = contents.items.map((item) => {
    if (item.account !== null) return exclusions.hasHandle(item.account) ? { ...item, account: null } : item;
    const isExcluded = typeof item.key === 'string' && exclusions.hasHandle(item.key);
    return isExcluded ? { ...item, key: excludedKey(String(item.key)), variant: null } : item;
  });
  return { ...contents, items };
}

/** @throws BadResponse */
function envelopeOf(bytes: Buffer): Envelope {
  try {
    return envelopeIn(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new BadResponse('bytes that are not UTF-8');
    throw error instanceof NoPage ? new BadResponse(error.message) : error;
  }
}

function recordItem(item: unknown): PageItem {
  const account = isObject(item) && handle.accepts(item['account']) ? item['account'] : null;
  return { key: keyOf('data', item), variant: null, account };
}

/** Returns the key of an item: see {@link PageItem.key}. */
function keyOf(collection: Collection, item: unknown): ItemKey {
  if (isObject(item)) {
    const { id, screen_name } = item;
    if (collection === 'data' && identifier.accepts(id)) return id;
    if (collection === 'account' && handle.accepts(screen_name)) return screen_name;
  }
  return `sha256:${hash('sha256', encodeJson(item))}`;
}

/** Whether an item was shown without a valid key. It was rejected, so no item of the store is gone with it. See {@link PageItem.key}. */
export function isDigest(key: ItemKey): boolean {
  return typeof key === 'string' && key.startsWith('sha256:');
}

function recordIds(account: unknown): number[] {
  const data = isObject(account) ? account['data'] : undefined;
  if (!Array.isArray(data)) return [];
  return data.flatMap((record: unknown) => (isObject(record) && identifier.accepts(record['id']) ? [record['id']] : []));
}

/** Returns what distinguishes an account from others with its screen name: its creation date, its first and its newest record. */
export function variantOf(account: unknown): string {
  const { account_creation_date: created } = isObject(account) ? account : {};
  const ids = recordIds(account).toSorted((one, other) => one - other);
  return `${typeof created === 'string' ? created : ''}|${ids[0] ?? ''}|${ids.at(-1) ?? ''}`;
}

/** Whether two variants belong to two accounts. An account that gets a record, or loses its first or newest one, stays the same account. */
export function areTwoAccounts(one: string, other: string): boolean {
  const [[created, first, newest], [otherCreated, otherFirst, otherNewest]] = [one.split('|'), other.split('|')];
  return created !== otherCreated || (first !== '' && otherFirst !== '' && first !== otherFirst && newest !== otherNewest);
}

/** Returns the key of an account whose screen name another account also has. It has no newest record, which changes. No screen name has a line break. */
export function namesakeKey(screenName: string, variant: string): string {
  return `${screenName}\n${withoutNewest(variant)}`;
}

export function withoutNewest(variant: string): string {
  return variant.split('|').slice(0, 2).join('|');
}

/** Returns the address of a page, as Django REST Framework links to it. */
export function pageAddress(baseUrl: string, collection: Collection, page: number): string {
  return `${baseUrl}/rest/${collection}/${page === 1 ? '' : `?page=${page}`}`;
}

/**
 * Checks that `next` leads to the page after this one, in the same collection of the same service.
 * @throws BadResponse if it does not: a cache may have sent another page; Failure bad-service if page 1 links to another place
 */
export function checkNext(baseUrl: string, collection: Collection, page: number, next: string): void {
  const own = new URL(pageAddress(baseUrl, collection, 1));
  const url = URL.canParse(next, own.href) ? new URL(next, own) : undefined;
  // behind a TLS proxy, services often link to plain HTTP
  const isHere = url !== undefined && url.host === own.host && (url.protocol === own.protocol || own.protocol === 'https:');
  if (isHere && url.pathname === own.pathname) {
    checkNumber('next', url, page + 1);
    return;
  }
  const found = `${isHere ? 'another path' : 'another origin'}: ${cut(next)}`;
  if (page > 1) throw new BadResponse(`next leads to ${found}`);
  throw new Failure('bad-service', 'the link to the next page is not followed', {
    place: { file: own.href, field: 'next' },
    expected: `an address below ${isHere ? own.href : baseUrl}`,
    found,
    hint: elsewhere(url, baseUrl),
  });
}

/**
 * Checks that `previous` leads to the page before this one.
 * @throws BadResponse if it does not: a cache may have sent another page
 */
export function checkPrevious(page: number, previous: string): void {
  const url = URL.canParse(previous, 'http://localhost') ? new URL(previous, 'http://localhost') : undefined;
  if (url !== undefined) checkNumber('previous', url, Math.max(1, page - 1));
}

function checkNumber(field: 'next' | 'previous', url: URL, expected: number): void {
  const number = url.searchParams.getAll('page').at(-1) ?? '1';
  if (number !== String(expected)) throw new BadResponse(`${field} leads to page ${cut(number)}, expected page ${expected}`);
}

/** What a mirror requests below the base URL, as the end of a path. */
const REQUESTED = /\/((rest|versions)\/.*|[^/]+\.(json|txt))?$/;

/** Returns what to do about an address that is not followed: if it can be of another service, its base URL is there. */
function elsewhere(url: URL | undefined, baseUrl: string): Hint {
  const other = url === undefined || !/^https?:$/.test(url.protocol) ? baseUrl : url.origin + url.pathname.replace(REQUESTED, '');
  if (other === baseUrl) return 'report this to the operator of the service';
  return hint`if the service has moved there, run ${suggested('mirror', {}, [other])}`;
}

/** Returns a function that follows a redirect, or throws bad-service if it leaves the service. */
export function redirectsWithin(baseUrl: string): (redirect: Redirect) => string {
  const base = new URL(`${baseUrl}/`);
  return ({ from, to, location, isTooMany }) => {
    const isHere = to?.origin === base.origin && to.pathname.startsWith(base.pathname);
    if (to !== undefined && isHere && !isTooMany) return to.href;
    throw new Failure('bad-service', 'a redirect is not followed', {
      place: { file: from },
      expected: isHere ? `at most ${MAX_REDIRECTS} redirects` : `an address below ${base.href}`,
      found: location,
      hint: isHere ? 'report the redirects to the operator of the service' : elsewhere(to, baseUrl),
    });
  };
}
