import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browse } from '../../browse/browse.ts';
import { type BrowseFile, type BrowsePart, NOTHING_RENDERED, type RenderedState } from '../../browse/parts.ts';
import { searchDigest } from '../../browse/search/search-index.ts';
import type { Site } from '../../contract/site.ts';
import type { Store } from '../../store/store.ts';
import type { BuildRecord } from '../build-record.ts';
import { type Extents, linesOfFile, linesOfGroup } from '../manifest/browse-lines.ts';
import { partSpool, type Stage, stagedFiles } from './staged-files.ts';

/** The input of threads that render the browse files of one tree together. It can be posted to another thread. */
export interface BrowseJob extends Stage {
  readonly store: string;
  /** The store's revision to render. */
  readonly revision: number;
  readonly site: Site;
  /** What the tree's browse files show, except the search index. */
  readonly rendered: Omit<RenderedState, 'search'>;
  /** The checksum of what its search index was made from; undefined if it is unknown. */
  readonly search: string | undefined;
  /** A file with the lines of the tree's present browse files, and where each part is. */
  readonly before: { readonly file: string; readonly extents: Extents };
}

/** The numbers of the files of a part, of those among them that are staged, and of those that are obsolete. */
export interface PartCounts {
  readonly files: number;
  readonly written: number;
  readonly obsolete: number;
}

/** A part that was rendered. */
interface RenderedPart extends PartCounts {
  /** The checksum of what the part was made from, if it is the search index. */
  readonly source?: string | undefined;
}

/** The folders in the stage for the lines of each part, and for the paths of its obsolete files. */
export const LINES = 'browse-lines';
export const OBSOLETE = 'browse-obsolete';

/** Renders parts of the browse files. */
export class PartRenderer {
  readonly #job: BrowseJob;
  readonly #store: Store;
  readonly #browse: Browse;
  readonly #parts: readonly BrowsePart[];

  constructor(job: BrowseJob, store: Store) {
    this.#job = job;
    this.#store = store;
    this.#browse = new Browse(store, job.site);
    this.#parts = this.#browse.parts;
  }

  /**
   * Stages the files of a part that differ from those in the tree, the lines of the part, and the list of obsolete files.
   * @param index the place of the part among all parts
   */
  render(index: number): RenderedPart {
    const [job, part] = [this.#job, this.#parts[index]];
    if (part === undefined) return { files: 0, written: 0, obsolete: 0 };
    const source = part.kind === 'search' ? searchSource(this.#store) : undefined;
    const rendered = { ...job.rendered, search: source === job.search };
    const before = new Map<string, string>();
    const listing = { source: linesOfFile(job.before.file), extents: job.before.extents };
    for (const { path, digest } of linesOfGroup(listing, part.name)) before.set(path, digest);
    if (this.#browse.isCurrent(part, rendered)) {
      writeFileSync(join(job.stage, LINES, String(index)), Array.from(before, ([path, digest]) => `${digest}  ${path}\n`).join(''));
      return { files: before.size, written: 0, obsolete: 0, source };
    }
    const staged = stagedFiles(job, partSpool(index));
    let [lines, files, written] = ['', 0, 0];
    for (const browseFile of this.#browse.files(part, rendered)) {
      const found = before.get(browseFile.path);
      const { digest, bytes } = digested(browseFile, found);
      if (bytes !== undefined && digest !== found) {
        staged.put(browseFile.path, bytes);
        written += 1;
      }
      lines += `${digest}  ${browseFile.path}\n`;
      files += 1;
      before.delete(browseFile.path);
    }
    staged.close();
    writeFileSync(join(job.stage, LINES, String(index)), lines);
    if (before.size > 0) writeFileSync(join(job.stage, OBSOLETE, String(index)), `${[...before.keys()].join('\n')}\n`);
    return { files, written, obsolete: before.size, source };
  }
}

/** Returns the digest of a file, and its bytes if it may have changed. */
function digested({ path, render }: BrowseFile, found: string | undefined): { digest: string; bytes?: readonly Uint8Array[] } {
  if (render === undefined) {
    if (found === undefined) throw new Error(`${path} counts as unchanged, but the manifest does not list it`);
    return { digest: found };
  }
  const bytes = render();
  const [only] = bytes;
  return { digest: hash('sha256', bytes.length === 1 && only !== undefined ? only : Buffer.concat(bytes)), bytes };
}

/** Checksums of what the browse files of a tree were made from. A later build compares them with its store. */
export type BrowseSources = Required<Pick<BuildRecord, 'browse_feed' | 'browse_search'>>;

export function browseSources(store: Store): BrowseSources {
  return { browse_feed: feedSource(store), browse_search: searchSource(store) };
}

/** Returns a digest of all that pages show of the oldest records, by default of all. */
export function feedSource(store: Store, records: number = store.revision.records): string {
  return hash('sha256', JSON.stringify([store.oldestChecksum(records), store.storedAccounts().namedHandles()]));
}

/** Reads the names of all accounts. */
function searchSource(store: Store): string {
  return searchDigest(store.accountReader().searchedNames());
}

/** Returns what the browse files of a tree show, except the search index. @param since the revision that the tree shows; -1 if it is unknown */
export function renderedStateOf(found: BuildRecord | undefined, since: number, store: Store): Omit<RenderedState, 'search'> {
  if (found === undefined || since === -1) return NOTHING_RENDERED;
  const isSameFeed = found.records <= store.revision.records && feedSource(store, found.records) === found.browse_feed;
  return { revision: since, records: isSameFeed ? found.records : 0, snapshot_days: found.snapshot_days };
}
