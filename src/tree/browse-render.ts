import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browse } from '../browse/browse.ts';
import type { BrowseFile, BrowsePart, RenderedState } from '../browse/parts.ts';
import type { Site } from '../contract/site.ts';
import { Store } from '../store/store.ts';
import { type Extents, linesOfFile, linesOfGroup } from './browse-lines.ts';
import { digestIn } from './manifest.ts';
import { partSpool, type Stage, stagedFiles } from './staged-files.ts';
import { openTreeFiles } from './tree-files.ts';

/** In the place of a digest: the file must be read. */
export const UNREAD: string = '0'.repeat(64);

/** The input of threads that render the browse files of one tree together. It can be posted to another thread. */
export interface BrowseJob extends Stage {
  readonly store: string;
  /** The store's revision to render. */
  readonly revision: number;
  readonly site: Site;
  /** What the tree's browse files show. */
  readonly rendered: RenderedState;
  /** The path of the present tree. */
  readonly out: string;
  /** A file with the lines of the tree's present browse files, and where each part is. A digest may be {@link UNREAD}. */
  readonly before: { readonly file: string; readonly extents: Extents };
  /** The {@link BrowseCounts} of all threads (Int32). */
  readonly counts: SharedArrayBuffer;
}

/** Counters that all threads share. */
export class BrowseCounts {
  readonly shared: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.shared = shared;
    this.#counts = new Int32Array(shared);
  }

  /** Returns the index of the next part that no thread has taken. */
  takePart(): number {
    return Atomics.add(this.#counts, 0, 1);
  }

  /** The number of parts that a thread has taken, and of further attempts. */
  get taken(): number {
    return Atomics.load(this.#counts, 0);
  }

  /** Makes sure that no thread takes a further part. */
  stop(): void {
    Atomics.store(this.#counts, 0, 1 << 30);
  }

  add(files: number, written: number, obsolete: number): void {
    for (const [index, count] of [files, written, obsolete].entries()) Atomics.add(this.#counts, index + 1, count);
  }

  get totals(): { readonly files: number; readonly written: number; readonly obsolete: number } {
    const [files = 0, written = 0, obsolete = 0] = this.#counts.subarray(1);
    return { files, written, obsolete };
  }
}

/** The folders in the stage for the lines of each part, and for the paths of its obsolete files. */
export const LINES = 'browse-lines';
export const OBSOLETE = 'browse-obsolete';

/** Renders parts until none remains. */
export function renderBrowse(job: BrowseJob, store: Store, onFiles: () => void = () => {}): void {
  const counts = new BrowseCounts(job.counts);
  const browse = new Browse(store, job.site);
  const { parts } = browse;
  for (let taken = counts.takePart(); taken < parts.length; taken = counts.takePart()) {
    // the last parts take longest: begun first, none of them runs alone at the end
    const index = parts.length - 1 - taken;
    const part = parts[index];
    if (part !== undefined) renderPart(job, browse, part, index, counts);
    onFiles();
  }
}

/** Like {@link renderBrowse}, but opens the store itself. Leaves all parts to the main thread if the store has changed. */
export function renderBrowseFrom(job: BrowseJob): void {
  const store = Store.open(job.store);
  try {
    if (store.revision.number === job.revision) renderBrowse(job, store);
  } finally {
    store.close();
  }
}

/** Stages the files of a part that differ from those in the tree, the lines of the part, and the list of obsolete files. */
function renderPart(job: BrowseJob, browse: Browse, part: BrowsePart, index: number, counts: BrowseCounts): void {
  const before = new Map<string, string>();
  const listing = { source: linesOfFile(job.before.file), extents: job.before.extents };
  for (const { path, digest } of linesOfGroup(listing, part.name)) before.set(path, digest);
  if (browse.isCurrent(part, job.rendered)) {
    writeFileSync(join(job.stage, LINES, String(index)), Array.from(before, ([path, digest]) => `${digest}  ${path}\n`).join(''));
    counts.add(before.size, 0, 0);
    return;
  }
  const staged = stagedFiles(job, partSpool(index));
  let [lines, files, written] = ['', 0, 0];
  for (const browseFile of browse.files(part, job.rendered)) {
    const found = before.get(browseFile.path);
    const { digest, bytes } = digested(browseFile, found);
    if (bytes !== undefined && digest !== (found === UNREAD ? digestAt(job.out, browseFile.path) : found)) {
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
  counts.add(files, written, before.size);
}

/** Reads a file of the present tree. Only a tree whose manifest is not trusted is read. */
function digestAt(out: string, path: string): string | undefined {
  const files = openTreeFiles(out);
  try {
    return digestIn(files, path);
  } finally {
    files.close();
  }
}

/** Returns the digest of a file, and its bytes if it may have changed. */
function digested({ path, render }: BrowseFile, found: string | undefined): { digest: string; bytes?: readonly Uint8Array[] } {
  if (render === undefined) {
    if (found === undefined || found === UNREAD) throw new Error(`${path} counts as unchanged, but the manifest does not list it`);
    return { digest: found };
  }
  const bytes = render();
  const [only] = bytes;
  return { digest: hash('sha256', bytes.length === 1 && only !== undefined ? only : Buffer.concat(bytes)), bytes };
}
