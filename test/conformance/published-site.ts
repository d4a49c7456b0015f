import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collection } from '../../src/contract/collection.ts';
import { type History, toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { goodHistory } from '../verify/good-tree.ts';

/** A text in the newest record, and one of as many bytes that takes its place. */
const [BEFORE, AFTER] = ['before', 'after!'];

/** A tree of two collections with three pages each, which hosts are to serve. */
export class PublishedSite {
  readonly base: string;
  readonly tree: string;
  readonly #folder: string;

  private constructor(folder: string, base: string) {
    this.#folder = folder;
    this.base = base;
    this.tree = join(folder, 'tree');
  }

  /** Builds it with the program, as if an hour ago. */
  static async build(folder: string, base: string): Promise<PublishedSite> {
    const site = new PublishedSite(folder, base);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'secret.txt'), 'not for readers');
    await site.#publish(BEFORE);
    site.age();
    return site;
  }

  /** A copy that one host can do with as it likes. */
  copy(folder: string): PublishedSite {
    cpSync(this.#folder, folder, { recursive: true, preserveTimestamps: true });
    return new PublishedSite(folder, this.base);
  }

  /** Builds it anew with the newest record changed: pages have other bytes, and as many as before. */
  rebuild(): Promise<void> {
    return this.#publish(AFTER);
  }

  async #publish(newest: string): Promise<void> {
    const at = (name: string) => join(this.#folder, name);
    writeFileSync(at('history.ndjson'), `${toNdjson(historyWith(newest)).join('\n')}\n`);
    await palimpsestJson(['import', at('history.ndjson'), '--store', at('store.db'), '--on-conflict', 'replace']);
    const sizes = ['--page-size', '20', '--account-page-size', '3'];
    const url = `https://history.example${this.base}`;
    await palimpsestJson([
      'build',
      '--store',
      at('store.db'),
      '--out',
      this.tree,
      '--base-url',
      url,
      ...sizes,
      '--compress',
      'gzip,brotli',
    ]);
  }

  /** Sets the files' times back to a whole second, as they are on the day after a build. */
  age(): void {
    const hourAgo = new Date(Math.floor(Date.now() / 1000 - 3600) * 1000);
    for (const name of readdirSync(this.tree, { recursive: true, encoding: 'utf8' })) utimesSync(join(this.tree, name), hourAgo, hourAgo);
  }

  /** The path of a collection. */
  path(collection: Collection): string {
    return `${this.base}/rest/${collection}/`;
  }

  /** The bytes of a page. */
  page(collection: Collection, page: number): Buffer {
    return this.file(`rest/${collection}/page/${page}/index.json`);
  }

  file(path: string): Buffer {
    return readFileSync(join(this.tree, path));
  }
}

function historyWith(newest: string): History {
  const { records, accounts } = goodHistory();
  const edited = records.map((record, index) => (index === 0 ? { ...record, text: newest } : record));
  return {
    records: edited,
    accounts: accounts.map((account) => ({ ...account, data: edited.filter((record) => record.account === account.screen_name) })),
  };
}
