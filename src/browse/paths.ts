import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type ByteText, encode, type Markup, markup, trusted } from './markup.ts';

/** Paths need no escape: their names have only letters, digits, `.`, `-`, `_` and `~`. */

/** The path of the home page. */
export const HOME = 'index.html';
/** The newest changes, which are on the home page. */
export const NEWEST_CHANGES = 'index.html#changes';
export const ABOUT = 'browse/about.html';
/** The accounts that changed last, and those that changed most. */
export const CHANGED_ACCOUNTS = 'browse/changed.html';
export const NOT_FOUND_FILE = 'browse/404.html';
export const CHANGES_FEED = 'browse/changes.atom';
export const STYLE = 'browse/assets/style.css';
export const SCRIPT = 'browse/assets/browse.js';
export const SITE_SCRIPT = 'browse/assets/site.js';
export const ICON = 'browse/assets/icon.svg';

/** Returns the path of a page of all changes. Pages are numbered from 1, for the oldest records. */
export function changesPage(page: number): Markup {
  return markup`browse/changes/${page}.html`;
}

/** Returns the path of an archive of the feed. It has the number of the newest page with its records. */
export function changesArchive(archive: number): Markup {
  return markup`browse/changes/${archive}.atom`;
}

/** Returns the path of the page with the accounts whose handles begin with a text, without regard to letter case. */
export function accountsPage(prefix: ByteText = ''): Markup {
  return trusted(`browse/accounts/${listName(prefix)}.html`);
}

/** Returns the path of the page with the accounts whose display names begin with a text, without regard to letter case. */
export function namesPage(prefix: ByteText = ''): Markup {
  return trusted(`browse/names/${listName(prefix)}.html`);
}

function listName(prefix: ByteText): string {
  const name = prefix.replace(/[^a-z0-9_]/g, (byte) => `~${HEX[byte.charCodeAt(0)]}`);
  return name === '' ? 'all' : `all-${name}`;
}

/** @param month such as `2024-03` */
export function monthPage(month: string): Markup {
  return trusted(`browse/months/${month}.html`);
}

/** The place of the files of an account. It depends on the handle alone. */
interface AccountPlace {
  /** Two hexadecimal digits: a file system such as FAT32 holds about 20,000 names in a folder. */
  readonly folder: string;
  /** The name of the files without an extension. */
  readonly name: string;
}

/**
 * Returns the place of the files of the account with a handle. Two handles never have names that are equal or differ only
 * in letter case, and every file system allows the names.
 *
 * The folder is the first byte of the CRC-32 of the handle. There are three kinds of names:
 * - `nina_k`: a handle of lower-case letters, digits, `_`, `.` and `-`
 * - `nina_k~21`: a handle that also has capital letters. Bit n of the hexadecimal number is the letter case of character n.
 * - `ninak~x` and the first 32 digits of the SHA-256 of the handle: every other handle
 */
export function accountPlace(handle: ByteText): AccountPlace {
  return { folder: HEX[folderOf(handle)] ?? '', name: nameOf(handle) };
}

/** Returns the number of the folder of the account with a handle. */
export function folderOf(handle: ByteText): number {
  return crc32(encode(handle)) >>> 24;
}

/**
 * Returns the path of an account's page, without its extension: `browse/account/3f/nina_k`.
 * @param part the number of a part of its records, from 1 for the oldest; 0 for the account's main page
 */
export function accountPath({ folder, name }: AccountPlace, part = 0): string {
  return part === 0 ? `browse/account/${folder}/${name}` : `browse/account/${folder}/${name}~p${part}`;
}

/** Returns the {@link AccountPlace.name} in a path. */
export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/(?:~p\d+)?\.[a-z]+$/, '');
}

/** The account whose path was needed last. The files of one account need its path many times. */
let last: { readonly handle: ByteText; readonly place: AccountPlace } | undefined;

function placeOf(handle: ByteText): AccountPlace {
  if (last?.handle !== handle) last = { handle, place: accountPlace(handle) };
  return last.place;
}

/** Returns the path of an account's page: `browse/account/3f/nina_k.html`. */
export function accountPage(handle: ByteText, part = 0): Markup {
  return trusted(`${accountPath(placeOf(handle), part)}.html`);
}

/** Returns the path of an account's feed: `browse/account/3f/nina_k.atom`. */
export function accountFeed(handle: ByteText): Markup {
  return trusted(`${accountPath(placeOf(handle))}.atom`);
}

/**
 * Returns the address of a record in the tree. It stays the same when later records come: a record of the first part of an
 * account has its address on the main page, which leads on when it does not show the part any more.
 * @param part the number of the record's part
 */
export function recordAddress(handle: ByteText, part: number, id: number): Markup {
  return markup`${accountPage(handle, part === 1 ? 0 : part)}#r${id}`;
}

/** Returns the address of a rename in the tree: on the main page, which leads on when it does not show the rename any more. */
export function renameAddress({ account, id }: { readonly account: ByteText; readonly id: Markup }): Markup {
  return markup`${accountPage(account)}#${id}`;
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const LONGEST = 50;
const LONGEST_REDUCED = 40;
/** Names that Windows reserves for devices, also before a dot. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d|conin|conout|clock)(\.|$)/;

function nameOf(handle: ByteText): string {
  let capitals = false;
  if (handle.length > LONGEST) return hashedName(handle);
  for (let at = 0; at < handle.length; at += 1) {
    const unit = handle.charCodeAt(at);
    if (isCapital(unit)) capitals = true;
    else if (!isNameUnit(unit)) return hashedName(handle);
  }
  const name = capitals ? withCase(handle) : handle;
  const isAllowed = !name.startsWith('.') && !name.endsWith('.') && !RESERVED.test(name);
  return isAllowed ? name : hashedName(handle);
}

/** Whether a character can be in a file name unchanged: a to z, 0 to 9, `_`, `.` and `-`. */
function isNameUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x2e || unit === 0x2d;
}

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

/** Returns a handle in lower case with the letter case of its characters. */
function withCase(handle: ByteText): string {
  let bits = 0;
  for (let at = handle.length - 1; at >= 0; at -= 1) bits = 2 * bits + (isCapital(handle.charCodeAt(at)) ? 1 : 0);
  return `${handle.toLowerCase()}~${bits.toString(16)}`;
}

function hashedName(handle: ByteText): string {
  const reduced = handle
    .slice(0, 4 * LONGEST_REDUCED)
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, LONGEST_REDUCED);
  return `${reduced}~x${createHash('sha256').update(encode(handle)).digest('hex').slice(0, 32)}`;
}
