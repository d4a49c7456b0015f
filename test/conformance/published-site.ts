import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collection } from '../../src/contract/pages/collection.ts';
import { build } from '../../src/tree/build/build.ts';
import { ENCODINGS } from '../../src/tree/encoding.ts';
import type { History } from '../support/histories.ts';
import { goodHistory, importHistory } from '../verify/good-tree.ts';
import { addOtherFiles } from './browse-files.ts';

/** A text in the newest record, and two replacements of the same length that are used in turn. */
const [BEFORE, AFTER, EDITED] = ['before', 'after!', 'edited'];

/** A tree for hosts to serve, with two collections of three pages each. */
export class PublishedSite {
  readonly base: string;
  /** Whether the tree has browse files. */
  readonly browse: boolean;
  /** The folder that hosts serve. */
  readonly tree: string;
  readonly #folder: string;
  /** Returns the folder of the same tree with a changed newest record, which is built once for all copies. */
  readonly #changed: () => Promise<string>;

  private constructor(folder: string, base: string, browse: boolean, changed: () => Promise<string>) {
    this.#folder = folder;
    this.base = base;
    this.browse = browse;
    this.tree = join(folder, 'tree');
    this.#changed = changed;
  }

  /** Builds the tree with palimpsest, with file times one hour in the past. */
  static async build(folder: string, base: string, browse = false): Promise<PublishedSite> {
    let changed: Promise<string> | undefined;
    const site: PublishedSite = new PublishedSite(folder, base, browse, () => {
      changed ??= site.#build(AFTER, `${folder}-changed`);
      return changed;
    });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'secret.txt'), 'not for readers');
    await site.#build(BEFORE, site.tree);
    site.age();
    return site;
  }

  /** Returns a copy that one host may change. */
  copy(folder: string): PublishedSite {
    cpSync(this.#folder, folder, { recursive: true, preserveTimestamps: true });
    return new PublishedSite(folder, this.base, this.browse, this.#changed);
  }

  /** Changes the newest record, as a build does. Pages have different content of the same length; removed files are restored. */
  async rebuild(): Promise<void> {
    cpSync(await this.#changed(), this.tree, { recursive: true });
  }

  /** Replaces the content of a file by different content of the same length and time, and updates the manifest. */
  edit(path: string): void {
    const file = join(this.tree, path);
    const { atime, mtime } = statSync(file);
    const before = readFileSync(file);
    const after = before.toString().replace(new RegExp(`${BEFORE}|${AFTER}`), EDITED);
    writeFileSync(file, after);
    utimesSync(file, atime, mtime);
    const manifest = this.file('manifest-sha256.txt')
      .toString()
      .replace(`${sha256(before)}  ${path}\n`, `${sha256(after)}  ${path}\n`);
    const record = this.file('build.json')
      .toString()
      .replace(sha256(this.file('manifest-sha256.txt')), sha256(manifest));
    writeFileSync(join(this.tree, 'manifest-sha256.txt'), manifest);
    writeFileSync(join(this.tree, 'build.json'), record);
  }

  async #build(newest: string, out: string): Promise<string> {
    const store = join(this.#folder, 'store.db');
    await importHistory(store, historyWith(newest));
    const site = { base_url: `https://history.example${this.base}`, page_size: 20, account_page_size: 3 };
    await build(store, { out, site, html: this.browse, compress: ENCODINGS });
    if (this.browse) addOtherFiles(out);
    return out;
  }

  /** Sets the file times to whole seconds in the past, as on the day after a build. */
  age(): void {
    const hourAgo = new Date(Math.floor(Date.now() / 1000 - 3600) * 1000);
    for (const name of readdirSync(this.tree, { recursive: true, encoding: 'utf8' })) utimesSync(join(this.tree, name), hourAgo, hourAgo);
  }

  /** Returns the path of a collection. */
  path(collection: Collection): string {
    return `${this.base}/rest/${collection}/`;
  }

  /** Returns the bytes of a page. */
  page(collection: Collection, page: number): Buffer {
    return this.file(`rest/${collection}/page/${page}/index.json`);
  }

  /** Returns the paths of browse files: the home page, and two of each folder and suffix. */
  browseFiles(): string[] {
    const paths = readdirSync(join(this.tree, 'browse'), { recursive: true, encoding: 'utf8' })
      .map((path) => `browse/${path}`)
      .filter((path) => /\/[^/.][^/]*\.(?:html|css|js|svg|atom)$/.test(path) && !path.includes('/.'))
      .toSorted();
    const kindOf = (path: string) => path.replace(/\/[^/]*$/, path.slice(path.lastIndexOf('.'))).replace(/account\/\w+/, 'account');
    return ['index.html', ...paths.filter((path, at) => paths.slice(0, at).filter((other) => kindOf(other) === kindOf(path)).length < 2)];
  }

  /** Returns the bytes of a file of the tree. */
  file(path: string): Buffer {
    return readFileSync(join(this.tree, path));
  }
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function historyWith(newest: string): History {
  const { records, accounts } = goodHistory();
  const edited = records.map((record, index) => (index === 0 ? { ...record, text: newest } : record));
  return {
    records: edited,
    accounts: accounts.map((account) => ({ ...account, data: edited.filter((record) => record.account === account.screen_name) })),
  };
}
