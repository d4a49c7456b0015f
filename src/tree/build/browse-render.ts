import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browse } from '../../browse/browse.ts';
import { type BrowsePart, NOTHING_RENDERED, type RenderedState } from '../../browse/parts.ts';
import type { Store } from '../../store/store.ts';
import type { BuildRecord } from '../build-record.ts';
import { fileOfPart, keepPart, OBSOLETE, type PartJob, StagedPart } from './staged-part.ts';

/** The input of threads that render the browse files of one tree together. */
export interface BrowseJob extends PartJob {
  /** What the tree's browse files show. */
  readonly rendered: RenderedState;
}

/** The numbers of the files of a part, of those among them that are staged, and of those that are obsolete. */
export interface PartCounts {
  readonly files: number;
  readonly written: number;
  readonly obsolete: number;
}

export class PartRenderer {
  readonly #job: BrowseJob;
  readonly #browse: Browse;
  readonly #parts: readonly BrowsePart[];

  constructor(job: BrowseJob, store: Store) {
    this.#job = job;
    this.#browse = new Browse(store, job.site);
    this.#parts = this.#browse.parts;
  }

  /**
   * Stages the files of a part that differ from those in the tree, the lines of the part, and the list of obsolete files.
   * @param index the place of the part among all
   * @throws Failure bad-store
   */
  render(index: number): PartCounts {
    const [job, part] = [this.#job, this.#parts[index]];
    const [counts, rendered] = [{ files: 0, written: 0, obsolete: 0 }, job.rendered];
    if (part === undefined) return counts;
    if (this.#browse.isCurrent(part, rendered)) return { ...counts, files: keepPart(job, part.name) };
    const staged = new StagedPart(job, part.name);
    for (const { path, render } of this.#browse.files(part, { ...rendered, paths: staged.left.keys() })) {
      if (render === undefined) staged.keep(path);
      else staged.put([path], render());
    }
    staged.close();
    const { files, written, left } = staged;
    if (left.size > 0) writeFileSync(join(job.stage, OBSOLETE, fileOfPart(part.name)), `${[...left.keys()].join('\n')}\n`);
    return { files, written, obsolete: left.size };
  }
}

/** Checksums of what the browse files of a tree were made from. A later build compares them with its store. */
export type BrowseSources = Required<Pick<BuildRecord, 'browse_feed' | 'browse_search'>>;

export function browseSources(store: Store): BrowseSources {
  return { browse_feed: feedSource(store), browse_search: store.digestOfNames() };
}

/** Returns a digest of all that pages show of the oldest records, by default of all. */
export function feedSource(store: Store, records: number = store.revision.records): string {
  return hash('sha256', JSON.stringify([store.oldestChecksum(records), store.storedAccounts().namedHandles()]));
}

/**
 * Returns what the browse files of a tree show.
 * @param since the revision that the tree shows; -1 if it is unknown
 * @param names the digest of the names in the store
 */
export function renderedStateOf(found: BuildRecord | undefined, since: number, store: Store, names: string): RenderedState {
  if (found === undefined || since === -1) return NOTHING_RENDERED;
  const isSameFeed = found.records <= store.revision.records && feedSource(store, found.records) === found.browse_feed;
  const records = isSameFeed ? found.records : 0;
  return { revision: since, records, names: found.browse_search === names, snapshot_days: found.snapshot_days };
}
