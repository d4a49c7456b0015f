import { hash } from 'node:crypto';
import { Browse } from '../browse/browse.ts';
import { NOTHING_RENDERED } from '../browse/parts.ts';
import type { Pauses } from '../contract/event-loop-pauses.ts';
import { Store } from '../store/store.ts';
import { browseSources } from '../tree/build/browse-render.ts';
import { BUILD_RECORD, type BuildRecord } from '../tree/build-record.ts';
import { digestsOfGroup } from '../tree/manifest/digests.ts';
import { browseGroups, groupOf, type Listing, linesOfGroup, NO_FILES } from '../tree/manifest/listing.ts';
import { MANIFEST } from '../tree/manifest/manifest.ts';
import { rendererDigest } from '../tree/renderer-digest.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { checkFile, reportUnexpected } from './manifest-check.ts';
import type { Report } from './violation.ts';

/** Checks the browse files of a tree: one part at a time, so that memory does not grow with their number. */
export class BrowseCheck {
  readonly #files: TreeFiles;
  readonly #build: BuildRecord;
  readonly #report: Report;
  readonly #pauses: Pauses;
  readonly #listing: Listing;
  readonly #onProgress: (done: number, all: number) => void;
  #done = 0;
  /** What explains a difference from the store in any file; undefined if only the file itself does. */
  #cause: string | undefined;

  /** @param onProgress called with the number of files that were checked, and the number of all */
  constructor(
    files: TreeFiles,
    build: BuildRecord,
    listing: Listing,
    report: Report,
    pauses: Pauses,
    onProgress: (done: number, all: number) => void,
  ) {
    this.#files = files;
    this.#build = build;
    this.#report = report;
    this.#pauses = pauses;
    this.#onProgress = onProgress;
    this.#listing = listing;
  }

  /** Compares each file that the manifest lists with its digest. */
  async files(): Promise<void> {
    const { browse_files } = this.#build;
    if (browse_files === undefined || this.#listing === NO_FILES) return;
    let lines = 0;
    for (const part of browseGroups(this.#listing)) {
      const seen = new Set<string>();
      for (const { path, digest } of linesOfGroup(this.#listing, part)) {
        lines += 1;
        if (seen.has(path)) this.#addLine('each file once', `${path} twice`);
        seen.add(path);
        checkFile(this.#files, path, digest, this.#report);
        await this.#step(browse_files);
      }
    }
    if (lines !== browse_files) this.#addLine(`${browse_files} lines of HTML pages`, `${lines} lines`);
  }

  /**
   * Renders each file again from a store, and compares its digest with the one that the manifest lists.
   * @throws Failure no-store, bad-store
   */
  async rendered(storePath: string): Promise<void> {
    if (this.#build.browse_files === undefined) return;
    this.#done = 0;
    const store = Store.open(storePath);
    try {
      const isOfStore = store.revision.fingerprint === this.#build.store && this.#build.renderer === rendererDigest();
      this.#cause = this.#report.isCause(MANIFEST) ? MANIFEST : isOfStore ? undefined : BUILD_RECORD;
      this.#sources(store);
      // pages are rendered with the days of build.json, so a damaged list of the store would not be read
      store.snapshotDays();
      const browse = new Browse(store, this.#build);
      for (const part of browse.parts) {
        const listed = digestsOfGroup(this.#listing, part.name);
        const order = listed.keys();
        let misplaced: string | undefined;
        for (const { path, render } of browse.files(part, NOTHING_RENDERED)) {
          const bytes = Buffer.concat(render?.() ?? []);
          this.#compare(path, hash('sha256', bytes), listed.get(path));
          if (listed.has(path) && order.next().value !== path) misplaced ??= path;
          listed.delete(path);
          await this.#step(this.#build.browse_files);
        }
        // a surplus line is a violation itself, and moves the lines after it
        if (misplaced !== undefined && listed.size === 0) this.#addLine(`${misplaced} in the order of a build`, 'another order');
        for (const path of listed.keys()) this.#surplus(path);
      }
      const known = new Set(browse.parts.map(({ name }) => name));
      for (const part of browseGroups(this.#listing)) {
        if (known.has(part)) continue;
        for (const { path } of linesOfGroup(this.#listing, part)) this.#surplus(path);
      }
    } finally {
      store.close();
    }
  }

  /**
   * Reports the files that the manifest does not list.
   * @param paths files at the place of the browse files
   */
  unexpected(paths: readonly string[]): void {
    if (this.#listing === NO_FILES) return;
    const left = new Set(paths);
    for (const part of new Set(paths.map((path) => groupOf(path) ?? ''))) {
      for (const { path } of linesOfGroup(this.#listing, part)) left.delete(path);
    }
    for (const path of left) reportUnexpected(path, this.#report);
  }

  /** Compares the checksums with which a later build finds what it need not render again. */
  #sources(store: Store): void {
    if (this.#cause !== undefined) return;
    for (const [name, expected] of Object.entries(browseSources(store))) {
      const found = name === 'browse_feed' ? this.#build.browse_feed : this.#build.browse_search;
      if (found === undefined || found === expected) continue;
      this.#report.add({ rule: 'build-record', path: BUILD_RECORD, expected: `${name} ${expected}`, found });
    }
  }

  #compare(path: string, expected: string, found: string | undefined): void {
    if (found === expected) return;
    const cause = this.#cause;
    if (found === undefined)
      this.#report.add({ rule: 'browse-missing', path, expected: 'a file of the HTML pages', found: 'missing from the tree', cause });
    else this.#report.add({ rule: 'browse-differs', path, expected: `SHA-256 ${expected}`, found, cause });
  }

  #surplus(path: string): void {
    const [expected, found] = ['a file of the HTML pages of the store', 'a file that the store does not give'];
    this.#report.add({ rule: 'browse-surplus', path, expected, found, cause: this.#cause });
  }

  #addLine(expected: string, found: string): void {
    this.#report.add({ rule: 'manifest-line', path: MANIFEST, expected, found, cause: this.#cause });
  }

  async #step(all: number): Promise<void> {
    this.#done += 1;
    if (this.#pauses.areDue) await this.#pauses.take(() => this.#onProgress(this.#done, all));
  }
}
