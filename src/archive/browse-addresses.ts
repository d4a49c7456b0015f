import { dirname } from 'node:path/posix';
import { getSurt } from 'warcio';
import { HOME } from '../browse/paths.ts';
import { type BrowseListing, linesOfGroup, listBrowseFiles } from '../tree/browse-lines.ts';
import type { ManifestLine } from '../tree/manifest-line.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';

/** A browse file by an address at which clients request it. */
export interface RequestedFile extends ManifestLine {
  /** The address after the slash that follows the base URL: the path of the file, or '' for the home page. */
  readonly address: string;
  /** Its number among all addresses of browse files, from 0. */
  readonly place: number;
}

/** The addresses of the browse files of a tree. In memory are the lines of one folder at a time. */
export class BrowseAddresses {
  /** The number of addresses. The home page has two. */
  readonly count: number;
  readonly #baseUrl: string;
  readonly #listing: BrowseListing;
  /** The place of the first file of each folder. */
  readonly #firsts = new Map<string, number>();

  constructor({ build, browse }: VerifiedTree) {
    this.#baseUrl = build.base_url;
    this.#listing = listBrowseFiles(browse.source, dirname);
    let count = build.browse_files === undefined ? 0 : 1;
    for (const folder of this.#listing.extents.keys()) {
      this.#firsts.set(folder, count);
      for (const _ of linesOfGroup(this.#listing, folder)) count += 1;
    }
    this.count = count;
  }

  /** Yields the addresses in the order of their places. */
  *all(): Generator<RequestedFile> {
    yield* this.#root();
    for (const folder of this.#listing.extents.keys()) yield* this.#files(folder);
  }

  /** Yields the addresses in the order of an index: sorted by the bytes of their SURTs. */
  *sorted(): Generator<RequestedFile> {
    yield* this.#root();
    yield* this.#sorted('.');
  }

  *#root(): Generator<RequestedFile> {
    for (const line of linesOfGroup(this.#listing, '.')) if (line.path === HOME) yield { ...line, address: '', place: 0 };
  }

  *#files(folder: string): Generator<RequestedFile> {
    let place = this.#firsts.get(folder) ?? 0;
    for (const line of linesOfGroup(this.#listing, folder)) {
      yield { ...line, address: line.path, place };
      place += 1;
    }
  }

  *#sorted(folder: string): Generator<RequestedFile> {
    const prefix = folder === '.' ? '' : `${folder}/`;
    const folders = new Set<string>();
    for (const key of this.#listing.extents.keys()) {
      if (key !== '.' && key.startsWith(prefix)) folders.add(`${prefix}${key.slice(prefix.length).split('/')[0]}`);
    }
    folders.delete(folder);
    const entries = [
      ...Array.from(this.#files(folder), (file) => ({ key: this.#surt(file.address), file, folder: '' })),
      ...Array.from(folders, (path) => ({ key: this.#surt(`${path}/`), file: undefined, folder: path })),
    ];
    entries.sort((one, other) => (one.key < other.key ? -1 : 1));
    for (const entry of entries) {
      if (entry.file === undefined) yield* this.#sorted(entry.folder);
      else yield entry.file;
    }
  }

  #surt(address: string): string {
    return getSurt(`${this.#baseUrl}/${address}`);
  }
}
