import { byteText } from '../browse/markup.ts';
import { accountPlace } from '../browse/paths.ts';
import { type Exclusion, excludedAccounts, handleHash, stableIdHash } from '../contract/accounts/exclusion.ts';
import { foldedText, handleKey } from '../contract/accounts/handle.ts';
import { isObject } from '../contract/json.ts';

export interface SearchedAccounts {
  readonly exclusions: readonly Exclusion[];
  /** The handles that are known. The exclusions have only their hashes. */
  readonly handles: readonly string[];
  /** Handles that other accounts had before, so files may have them. */
  readonly sharedHandles: readonly string[];
  /** Whether the store has all these records: then their account is not removed, whatever handle it had. */
  readonly hasRecords: (records: readonly { readonly [field: string]: unknown }[]) => boolean;
}

/** What a file has of removed accounts: an account itself, or only the text of a handle, as a mention by another account has. */
export type Trace = 'account' | 'handle';

/** What bytes have of removed accounts. */
interface SearchedBytes {
  readonly trace: Trace | undefined;
  /** Whether the bytes are text in UTF-8. Only then all of it was searched. */
  readonly isText: boolean;
}

const PAGE = /(?:^|\/)rest\/(?:data|account)\/(?:page\/\w+\/)?index\.json$/;
/** The field of a record or a profile with its handle, in JSON. */
const FIELD = /"(?:account|screen_name|username|acct|handle)"\s*:\s*"((?:[^"\\]|\\.){1,500})"/g;
/** The path of the HTML page or feed of an account. */
const LINK = /account\/[0-9a-f]{2}\/([\w.~-]{1,100}?)(?:~p\d+)?\.(?:html|atom)/g;
/** A DID such as `did:plc:abc`. In file names, `_` can replace the first two colons. */
const DID = /did[:_]([a-z]+)[:_]([\w.:%-]+)/g;
/** How much text is searched again with the next piece: more than the longest match. */
const OVERLAP = 1024;

/** Searches files for removed accounts. The files of one tree are searched with one object. */
export class TraceSearch {
  readonly #accountsOn: ReturnType<typeof excludedAccounts>;
  readonly #hasRecords: SearchedAccounts['hasRecords'];
  readonly #hashes: ReadonlySet<string>;
  readonly #stableIds: ReadonlySet<string>;
  /** The servers of the handles, such as `@social.example`. */
  readonly #servers: ReadonlySet<string>;
  readonly #fileNames: ReadonlySet<string>;
  readonly #handle: RegExp | undefined;
  /** The keys of handles that are those of other accounts in this tree. */
  readonly #others: Set<string>;
  readonly #cache = new Map<string, boolean>();
  /** Whether the name before the server counts, too: the files of a service and the exports of other programs leave the server out. */
  readonly isStrict: boolean;

  constructor({ exclusions, handles, sharedHandles, hasRecords }: SearchedAccounts, isStrict: boolean) {
    this.isStrict = isStrict;
    this.#accountsOn = excludedAccounts(exclusions);
    this.#hasRecords = hasRecords;
    this.#hashes = new Set(exclusions.flatMap((one) => one.handles));
    this.#stableIds = new Set(exclusions.flatMap((one) => one.stable_ids));
    this.#servers = new Set(handles.map((handle) => handle.replace(/^[^@]*/, '')));
    this.#fileNames = new Set(handles.map((handle) => accountPlace(byteText(handle)).name));
    const searched = handles.map(handleKey).flatMap((key) => (isStrict ? [key, key.replace(/@.*/, '')] : [key]));
    const keys = searched.map((key) => key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    this.#handle = keys.length === 0 ? undefined : new RegExp(`(?<![\\p{L}\\p{N}_])(?:${keys.join('|')})(?![\\p{L}\\p{N}_])`, 'u');
    this.#others = new Set(sharedHandles.map(handleKey));
  }

  /** Searches a file. The pages of the API must come before the HTML pages, as their paths do if they are sorted backwards. */
  async search(path: string, pieces: AsyncIterable<Uint8Array>): Promise<SearchedBytes> {
    const page = PAGE.test(path) ? await wholePage(pieces) : undefined;
    if (page?.value !== undefined && this.#isOnPage(page.value)) return { trace: 'account', isText: true };
    const isAccount = page?.value === undefined ? (text: string) => this.#isInText(text) : () => false;
    let found: Trace | undefined = this.#hasLink(path) ? 'account' : undefined;
    const decoder = new Utf8Decoder();
    let before = '';
    for await (const piece of page?.pieces ?? pieces) {
      const text = before + decoder.write(piece);
      if (found !== 'account' && isAccount(text)) found = 'account';
      if (found === undefined && this.#handle?.test(foldedText(text)) === true) found = 'handle';
      before = text.slice(-OVERLAP);
    }
    decoder.write();
    return { trace: found, isText: decoder.isText };
  }

  /**
   * Returns a path in which each part with a handle or a stable id is replaced: the files of an account often have one in their names.
   * A part that is a short number is left: pages and days have such numbers, too.
   */
  withoutNames(path: string): string {
    const hasName = (part: string) =>
      this.#handle?.test(foldedText(part)) === true ||
      [part, part.replace(/\.[^.]*$/, ''), ...(part.match(/[\p{L}\p{N}_]+/gu) ?? []), ...didsIn(part)].some((name) => this.#isName(name));
    return path
      .replace(/(browse\/account\/[0-9a-f]{2}\/).*/, '$1…')
      .split('/')
      .map((part) => (!/^\d{1,4}$/.test(part) && hasName(part) ? '…' : part))
      .join('/');
  }

  #isName(name: string): boolean {
    // in file names, the id can lack the server
    return this.#hashes.has(handleHash(name)) || ['', ...this.#servers].some((server) => this.#stableIds.has(stableIdHash(name + server)));
  }

  #isOnPage(page: unknown): boolean {
    const results = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    // a record is one of its account
    const accounts = results.map((one) => ('account' in one ? { screen_name: one['account'], data: [one] } : one));
    return this.#accountsOn({ results: accounts }).some(({ screen_name, records, onlyByHandle }) => {
      const isOther = onlyByHandle && records.length > 0 && this.#hasRecords(records);
      if (isOther) this.#others.add(handleKey(screen_name));
      return !isOther;
    });
  }

  #isInText(text: string): boolean {
    for (const [, handle = ''] of text.matchAll(FIELD)) if (this.#isRemoved(unescaped(handle))) return true;
    return this.#hasLink(text);
  }

  #hasLink(text: string): boolean {
    for (const [, name = ''] of text.matchAll(LINK)) {
      if (this.#fileNames.has(name) && !this.#others.has(handleKey(name))) return true;
      if (this.#isRemoved(name.replace(/~[0-9a-f]+$/, ''))) return true;
    }
    return false;
  }

  #isRemoved(handle: string): boolean {
    if (this.#others.has(handleKey(handle))) return false;
    let isRemoved = this.#cache.get(handle);
    if (isRemoved === undefined) {
      if (this.#cache.size > 100_000) this.#cache.clear();
      isRemoved = this.#hashes.has(handleHash(handle));
      this.#cache.set(handle, isRemoved);
    }
    return isRemoved;
  }
}

/** Reads a page. It has no value if it is not JSON, such as one that is cut off. */
async function wholePage(pieces: AsyncIterable<Uint8Array>): Promise<{ readonly pieces: readonly Uint8Array[]; readonly value: unknown }> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  try {
    const value: unknown = JSON.parse(Buffer.concat(all).toString());
    return { pieces: all, value };
  } catch {
    return { pieces: all, value: undefined };
  }
}

/** Decodes text in UTF-8. Other bytes are decoded as far as they are text. */
class Utf8Decoder {
  #decoder = new TextDecoder('utf-8', { fatal: true });
  /** Whether all bytes until now are text in UTF-8. */
  isText = true;

  /** Decodes a piece. Without one, it ends: then the bytes that a piece cut off are no text. */
  write(piece?: Uint8Array): string {
    try {
      const text = this.#decoder.decode(piece, { stream: piece !== undefined });
      // text in UTF-16 has them
      if (text.includes('\0')) this.isText = false;
      return text;
    } catch {
      this.isText = false;
      this.#decoder = new TextDecoder('utf-8');
      return this.write(piece);
    }
  }
}

/** Returns all texts in a part of a path that can be DIDs: where one ends is not known, as in `did:plc:abc_2024.json.gz`. */
function didsIn(part: string): string[] {
  return [...part.matchAll(DID)].flatMap(([, method, id = '']) =>
    id.split(/(?=[._:-])/).map((_, index, pieces) => `did:${method}:${pieces.slice(0, index + 1).join('')}`),
  );
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
