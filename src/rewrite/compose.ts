import { itemsBelow, itemsUpTo, type ReadChunk, rootOf, type Tree } from './chunks.ts';
import { type Answer, COLLECTION_HEADERS, lastValueOf } from './resolve.ts';

/**
 * Composes pages from the files of the composed layout. Hosts run this source too. Some hosts run an old dialect: no
 * destructuring, no default values of parameters, no `for … of`, no `??` and `?.`, and no `await` inside an expression.
 */

/** A state of both collections. */
export interface State {
  readonly page_size: number;
  readonly account_page_size: number;
  readonly data: Tree;
  readonly account: Tree;
}

/** The parts of `head.json` from which pages are composed. */
export interface Head extends State {
  readonly base_url: string;
  /** The number of the present generation. The log ends with it. */
  readonly generation: number;
  /** The log of generations. The keys are their times in milliseconds since 1970. */
  readonly log: Tree;
}

/** An entry of the log: a state of both collections. */
export interface Generation {
  readonly generation: number;
  /** In ISO 8601, in UTC, with milliseconds. */
  readonly time: string;
  readonly records: number;
  readonly accounts: number;
  /** The SHA-256 of both roots. */
  readonly data: string;
  readonly account: string;
  readonly page_size: number;
  readonly account_page_size: number;
}

const INVALID: Answer = { status: 400, headers: COLLECTION_HEADERS, body: '{"detail":"Invalid as_of."}' };
const UNKNOWN: Answer = { status: 404, headers: COLLECTION_HEADERS, body: '{"detail":"No such generation."}' };

const PAGE = /^rest\/(data|account)\/(?:page\/(\d+|last)\/)?index\.json$/;

/** A page before its items are read. */
export interface FoundPage {
  readonly tree: Tree;
  /** The position of its first item in the collection, from 0. */
  readonly from: number;
  /** The position after its last item. */
  readonly to: number;
  /** The bytes before the items, as text. */
  readonly envelope: string;
}

/**
 * Finds the page that the static layout has at a path. Reads chunks only for an earlier state.
 * @param path as {@link resolve} returns it, such as `rest/data/page/2/index.json`
 * @param query the query of the request without the question mark; `as_of` selects an earlier state
 * @returns an answer if `as_of` is wrong; undefined if there is no such page
 */
export async function findPage(head: Head, path: string, query: string, read: ReadChunk): Promise<FoundPage | Answer | undefined> {
  const match = PAGE.exec(path);
  if (match === null) return undefined;
  const asOf = lastValueOf(query, 'as_of');
  if (asOf === undefined || asOf === '') return pageOfState(head, head.base_url, String(match[1]), match[2], '');
  const found = await generationAt(head, asOf, read);
  if ('status' in found) return found;
  const state: State = {
    page_size: found.page_size,
    account_page_size: found.account_page_size,
    data: { count: found.records, root: found.data },
    account: { count: found.accounts, root: found.account },
  };
  return pageOfState(state, head.base_url, String(match[1]), match[2], `as_of=${found.generation}`);
}

/** Returns a text that changes with the bytes of a page: the root identifies all items of the collection. */
export function identityOf(page: FoundPage): string {
  return `${page.tree.root} ${page.from} ${page.to} ${page.envelope}`;
}

/** Reads the items of a page. Returns the parts of its bytes. */
export async function compose(page: FoundPage, read: ReadChunk): Promise<Uint8Array[]> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [encoder.encode(page.envelope)];
  if (page.to > page.from) {
    const root = await rootOf(page.tree, read);
    const items = await itemsBelow(root, page.from, page.to, read);
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) parts.push(encoder.encode(','));
      parts.push(items[at] as Uint8Array);
    }
  }
  parts.push(encoder.encode(']}'));
  return parts;
}

/** @param parameter the parameter that links carry on, such as `as_of=17`, or '' */
function pageOfState(
  state: State,
  baseUrl: string,
  collection: string,
  page: string | undefined,
  parameter: string,
): FoundPage | undefined {
  const isFeed = collection === 'data';
  const tree = isFeed ? state.data : state.account;
  const size = isFeed ? state.page_size : state.account_page_size;
  const pages = Math.max(1, Math.ceil(tree.count / size));
  const number = page === undefined ? 1 : page === 'last' ? pages : Number(page);
  if (number < 1 || number > pages) return undefined;
  const link = (to: number) => {
    if (to < 1 || to > pages) return null;
    const parameters = [parameter, to === 1 ? '' : `page=${to}`].filter((text) => text !== '');
    return `${baseUrl}/rest/${collection}/${parameters.length === 0 ? '' : '?'}${parameters.join('&')}`;
  };
  const envelope = JSON.stringify({ count: tree.count, next: link(number + 1), previous: link(number - 1) });
  return {
    tree: tree,
    from: (number - 1) * size,
    to: Math.min(number * size, tree.count),
    envelope: `${envelope.slice(0, -1)},"results":[`,
  };
}

/** Returns the entry of the log that a value of `as_of` selects: by its number, or the last one up to a time. */
async function generationAt(head: Head, asOf: string, read: ReadChunk): Promise<Generation | Answer> {
  if (/^\d{1,15}$/.test(asOf)) return generationWith(head, Number(asOf), read);
  const time = timeIn(asOf);
  if (time === undefined) return INVALID;
  const position = await itemsUpTo(head.log, time, read);
  return position < 1 ? UNKNOWN : entryAt(head, position, read);
}

/** Returns the entry of the log with a number. */
async function generationWith(head: Head, number: number, read: ReadChunk): Promise<Generation | Answer> {
  // The log ends with the present generation. The numbers have gaps only after a rollback, so the first entry read is nearly
  // always the right one. An entry is never before this position.
  let low = Math.max(1, number - (head.generation - head.log.count));
  let high = head.log.count;
  let position = low;
  while (low <= high) {
    const entry = await entryAt(head, position, read);
    if (entry.generation === number) return entry;
    if (entry.generation < number) low = position + 1;
    else high = position - 1;
    position = (low + high) >>> 1;
  }
  return UNKNOWN;
}

/** @param position from 1 */
async function entryAt(head: Head, position: number, read: ReadChunk): Promise<Generation> {
  const root = await rootOf(head.log, read);
  const parts = await itemsBelow(root, position - 1, position, read);
  return JSON.parse(new TextDecoder().decode(parts[0]));
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/;

/**
 * Parses a date (midnight in UTC) or a time with a zone. Returns milliseconds since 1970. `Date.parse` of njs supports no
 * zone but Z, and that of other engines accepts February 30.
 */
function timeIn(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null || (match[3] === undefined && match[4] !== undefined)) return undefined;
  const seconds = `${match[1]}T${match[2] === undefined ? '00:00' : match[2]}${match[3] === undefined ? ':00' : match[3]}`;
  const milliseconds = `${match[4] === undefined ? '' : match[4]}000`.slice(0, 3);
  const time = Date.parse(`${seconds}.${milliseconds}Z`);
  if (Number.isNaN(time) || new Date(time).toISOString() !== `${seconds}.${milliseconds}Z`) return undefined;
  const offset = match[5] === undefined ? 0 : Number(match[6]) * 60 + Number(match[7]);
  return time - (match[5] === '-' ? -offset : offset) * 60000;
}
