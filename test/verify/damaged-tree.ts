import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COLLECTIONS, type Collection } from '../../src/contract/pages/collection.ts';
import { pathsIn } from '../support/folder.ts';

/** Any JSON object; tests can give it any shape. */
export type Json = Record<string, unknown>;

/** A record on a page; its fields can be set to any value. */
export interface RecordJson extends Json {
  id: unknown;
}

export interface AccountJson extends Json {
  screen_name: unknown;
  data: RecordJson[];
}

export interface PageJson extends Json {
  count: unknown;
  next: unknown;
  previous: unknown;
  results: unknown;
}

/**
 * A tree to damage. It implements the layout and the bytes of a page independently of src, so the two cannot share an
 * error. After a damage it can reseal the tree, so that every digest is right again.
 */
export class DamagedTree {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static copyOf(original: string, folder: string): DamagedTree {
    cpSync(original, folder, { recursive: true });
    return new DamagedTree(folder);
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  bytes(file: string): Buffer {
    return readFileSync(this.path(file));
  }

  text(file: string): string {
    return this.bytes(file).toString();
  }

  /** Writes one file. Creates its folders. */
  write(file: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), content);
  }

  remove(file: string): void {
    rmSync(this.path(file), { recursive: true });
  }

  /** Writes a page to each of its files whose bytes differ. */
  writePage(collection: Collection, number: number, content: string | Uint8Array): void {
    for (const file of this.filesOf(collection, number))
      if (!existsSync(this.path(file)) || !this.bytes(file).equals(Buffer.from(content))) this.write(file, content);
  }

  /** Returns the files of a page. A client reads the first one. */
  filesOf(collection: Collection, number: number): string[] {
    const files = [`rest/${collection}/page/${number}/index.json`];
    if (number === 1) files.unshift(`rest/${collection}/index.json`);
    if (number === this.pages(collection)) files.push(`rest/${collection}/page/last/index.json`);
    return files;
  }

  pages(collection: Collection): number {
    const pages = this.build()[`${collection}_pages`];
    if (typeof pages !== 'number') throw new Error(`build.json has no ${collection}_pages`);
    return pages;
  }

  page(collection: Collection, number: number): PageJson {
    return JSON.parse(this.text(`rest/${collection}/page/${number}/index.json`));
  }

  editPage(collection: Collection, number: number, edit: (page: PageJson) => void): void {
    const page = this.page(collection, number);
    edit(page);
    this.writePage(collection, number, encode(page));
  }

  /** Changes the text of a page in each of its files. */
  editText(collection: Collection, number: number, edit: (text: string) => string): void {
    const [file = ''] = this.filesOf(collection, number);
    const [before, after] = [this.text(file), edit(this.text(file))];
    if (before === after) throw new Error('this damages nothing');
    this.writePage(collection, number, after);
  }

  build(): Json {
    return JSON.parse(this.text('build.json'));
  }

  editBuild(changes: Json): void {
    this.write('build.json', `${encode({ ...this.build(), ...changes })}\n`);
  }

  /** All records of the feed, newest first. */
  feed(): RecordJson[] {
    return records(this.items('data'));
  }

  accounts(): AccountJson[] {
    return this.items('account').map((item) => ({ screen_name: undefined, ...item, data: records(objectsIn(item['data'])) }));
  }

  private items(collection: Collection): Json[] {
    const numbers = Array.from({ length: this.pages(collection) }, (_, index) => index + 1);
    return numbers.flatMap((number) => objectsIn(this.page(collection, number).results));
  }

  /** Rewrites a whole collection like a build from a store with these items. Updates build.json. */
  setItems(collection: Collection, items: readonly Json[]): void {
    const build = this.build();
    const size = Number(build[collection === 'data' ? 'page_size' : 'account_page_size']);
    const pages = Math.max(1, Math.ceil(items.length / size));
    for (let number = pages + 1; number <= this.pages(collection); number += 1) this.remove(`rest/${collection}/page/${number}`);
    this.editBuild({ [`${collection}_pages`]: pages, [collection === 'data' ? 'records' : 'accounts']: items.length });
    const url = (number: number) => `${build['base_url']}/rest/${collection}/${number === 1 ? '' : `?page=${number}`}`;
    for (let number = 1; number <= pages; number += 1) {
      const next = number < pages ? url(number + 1) : null;
      const previous = number > 1 ? url(number - 1) : null;
      const results = items.slice((number - 1) * size, number * size);
      this.writePage(collection, number, encode({ count: items.length, next, previous, results }));
    }
  }

  editFeed(edit: (records: RecordJson[]) => readonly Json[] | undefined): void {
    const records = this.feed();
    this.setItems('data', edit(records) ?? records);
  }

  editAccounts(edit: (accounts: AccountJson[]) => readonly Json[] | undefined): void {
    const accounts = this.accounts();
    this.setItems('account', edit(accounts) ?? accounts);
  }

  /** Changes one record both in the feed and in its account. */
  editRecord(id: number, edit: (record: RecordJson) => void): void {
    this.editFeed((records) => {
      edit(one(records, (record) => record.id === id));
      return records;
    });
    this.editAccounts((accounts) => {
      const all = accounts.flatMap((account) => account.data);
      edit(one(all, (record) => record.id === id));
      return accounts;
    });
  }

  editAccount(name: string, edit: (account: AccountJson) => void): void {
    this.editAccounts((accounts) => {
      edit(one(accounts, (account) => account.screen_name === name));
      return accounts;
    });
  }

  /** Writes a manifest of the present files, and its digest to build.json. Then only the contents of files are wrong. */
  reseal(): void {
    const lines: string[] = [];
    for (const collection of COLLECTIONS) {
      const names = Array.from({ length: this.pages(collection) }, (_, index) => String(index + 1));
      const files = [`rest/${collection}/index.json`, ...[...names, 'last'].map((name) => `rest/${collection}/page/${name}/index.json`)];
      for (const file of files) lines.push(`${this.digest(file)}  ${file}\n`);
    }
    try {
      this.write('sort-keys.txt', this.#sortKeys());
    } catch {
      // an unreadable page has no keys
    }
    lines.push(`${this.digest('sort-keys.txt')}  sort-keys.txt\n`);
    this.setManifest(lines.join(''));
  }

  /** Returns the right sort keys for the pages. */
  #sortKeys(): string {
    const itemsOf = (collection: Collection, page: number): { id: number; screen_name: string; data: { id: number }[] }[] =>
      JSON.parse(this.text(`rest/${collection}/page/${page}/index.json`)).results;
    const pages = (collection: Collection) =>
      Array.from({ length: this.pages(collection) }, (_, index) => itemsOf(collection, index + 1)).filter((items) => items.length > 0);
    let before = 0;
    const keys = pages('account')
      .flat()
      .map(({ screen_name, data }) => {
        const first = data.at(-1)?.id;
        if (first === undefined) return JSON.stringify(screen_name);
        const key = first - before;
        before = first;
        return String(key);
      });
    const ranges = pages('data').map((items) => `${items[0]?.id} ${items.at(-1)?.id}`);
    return [`data ${this.build()['page_size']}`, ...ranges, `account ${this.build()['account_page_size']}`, ...keys, ''].join('\n');
  }

  /** Writes other sort keys, and their digests to the manifest and build.json. */
  setSortKeys(text: string): void {
    const before = this.digest('sort-keys.txt');
    this.write('sort-keys.txt', text);
    this.setManifest(this.text('manifest-sha256.txt').replace(before, this.digest('sort-keys.txt')));
  }

  /** Writes a manifest, and its digest to build.json. */
  setManifest(content: string | Uint8Array): void {
    this.write('manifest-sha256.txt', content);
    this.editBuild({ manifest: sha256(Buffer.from(content)) });
  }

  /** Returns the digest of a file, or some digest if it is not a file. */
  private digest(file: string): string {
    const isFile = statSync(this.path(file), { throwIfNoEntry: false })?.isFile() ?? false;
    return sha256(isFile ? this.bytes(file) : Buffer.from('nothing'));
  }

  /** Returns the relative paths of all files below the folder. */
  files(): string[] {
    return pathsIn(this.folder);
  }
}

/** Returns the JSON that DRF would write. */
export function encode(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the only item that matches. Throws otherwise, because the test would then damage nothing. */
export function one<T>(items: readonly T[], matches: (item: T) => boolean): T {
  const [found, ...others] = items.filter(matches);
  if (found === undefined || others.length > 0) throw new Error(`${others.length + (found === undefined ? 0 : 1)} items match`);
  return found;
}

/** Returns the objects in a list. Other items become empty objects. */
export function objectsIn(value: unknown): Json[] {
  if (!Array.isArray(value)) throw new Error('not an array');
  return value.map((item: unknown) => ({ ...(typeof item === 'object' ? item : {}) }));
}

function records(items: readonly Json[]): RecordJson[] {
  return items.map((item) => ({ id: undefined, ...item }));
}
