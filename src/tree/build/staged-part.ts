import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { BufferedFile } from '../../contract/files/file-bytes.ts';
import { COLLECTIONS } from '../../contract/pages/collection.ts';
import type { Site } from '../../contract/site.ts';
import { spansOf } from '../../pages/pagination.ts';
import { packMember } from '../../zip/member.ts';
import { encodingOfPath, SUFFIXES } from '../encoding.ts';
import { type Layout, spanGroup } from '../layout.ts';
import { digestsOfGroup } from '../manifest/digests.ts';
import { type Listing, textOfGroup } from '../manifest/listing.ts';
import type { TreeForm } from '../tree-files.ts';

/** The folders in the stage for the lines of each part, its members in a ZIP, and the paths of its obsolete browse files. */
export const LINES = 'lines';
export const SPOOLS = 'spools';
export const OBSOLETE = 'obsolete';

/** The input of threads that render parts of one tree together. It can be posted to another thread. */
export interface PartJob {
  /** The folder for files until all of them are ready. */
  readonly stage: string;
  /** The form of the tree that the build writes. */
  readonly form: TreeForm;
  readonly store: string;
  /** The store's revision to render. */
  readonly revision: number;
  readonly site: Site;
  /** The present files of the tree. Their lines are in a file. */
  readonly before: Listing;
}

/** Yields the parts of the pages of a tree, in the order of the manifest. The compressed copies of a part have a suffix. */
export function* pageParts({ pages, encodings }: Layout): Generator<string> {
  for (const collection of COLLECTIONS) {
    for (const suffix of ['', ...encodings.map((encoding) => SUFFIXES[encoding])]) {
      for (const { index } of spansOf(collection, pages[collection])) yield spanGroup(collection, index) + suffix;
    }
  }
}

/** Returns the name of the file of a part in a folder of the stage. */
export function fileOfPart(part: string): string {
  return part.replaceAll('/', '-');
}

export function linesOfPart(stage: string, part: string): string {
  return readFileSync(join(stage, LINES, fileOfPart(part)), 'latin1');
}

/** Keeps all present files of a part as they are. Returns their number. */
export function keepPart({ stage, before }: PartJob, part: string): number {
  const lines = textOfGroup(before, part);
  writeFileSync(join(stage, LINES, fileOfPart(part)), lines, 'latin1');
  return lines.split('\n').length - 1;
}

/** Yields the paths of the browse files that the new tree does not have. */
export function* obsoletePaths(stage: string): Generator<string> {
  for (const name of readdirSync(join(stage, OBSOLETE))) {
    yield* readFileSync(join(stage, OBSOLETE, name), 'utf8')
      .split('\n')
      .slice(0, -1);
  }
}

/** A part of a tree that is being built: stages the files whose bytes are new, and writes the lines of all for the manifest. */
export class StagedPart {
  /** The digests of the present files that the part does not have so far, by path. */
  readonly left: Map<string, string>;
  files = 0;
  written = 0;
  readonly #lines = new Map<string, string>([['', '']]);
  readonly #paths = new Set<string>();
  readonly #staged: StagedFiles;
  readonly #path: string;

  /** @param groups those of its files in the listing of the present tree. The first one is the name of the part */
  constructor(job: PartJob, ...groups: [string, ...string[]]) {
    const file = fileOfPart(groups[0]);
    this.left = new Map(groups.flatMap((group) => [...digestsOfGroup(job.before, group)]));
    this.#staged = job.form === 'zip' ? spooledMembers(join(job.stage, SPOOLS, file)) : stagedFolder(job.stage);
    this.#path = join(job.stage, LINES, file);
  }

  /**
   * Adds files with the same bytes. Stages those whose present bytes differ.
   * @param pieces the bytes, in chunks. They are read once for each staged file, too
   */
  put(paths: readonly string[], pieces: Iterable<Uint8Array>): void {
    const sha256 = createHash('sha256');
    for (const piece of pieces) sha256.update(piece);
    const digest = sha256.digest('hex');
    for (const path of paths) {
      if (digest !== this.left.get(path)) {
        this.#staged.put(path, pieces);
        this.written += 1;
      }
      this.#list(path, digest);
    }
  }

  /** Adds the present file with a path. */
  keep(path: string): void {
    const digest = this.left.get(path);
    if (digest === undefined) throw new Error(`${path} counts as unchanged, but the manifest does not list it`);
    this.#list(path, digest);
  }

  /** Adds all present files. */
  keepAll(): void {
    for (const path of this.left.keys()) this.keep(path);
  }

  close(): void {
    this.#staged.close();
    for (const [suffix, lines] of this.#lines) writeFileSync(this.#path + suffix, lines);
  }

  /** The manifest has compressed copies after all pages of their collection, so their lines are in files of their own. */
  #list(path: string, digest: string): void {
    if (this.#paths.has(path)) throw new Error(`two files have the path ${path}`);
    this.#paths.add(path);
    const encoding = encodingOfPath(path);
    const suffix = encoding === undefined ? '' : SUFFIXES[encoding];
    this.#lines.set(suffix, `${this.#lines.get(suffix) ?? ''}${digest}  ${path}\n`);
    this.left.delete(path);
    this.files += 1;
  }
}

/** Takes the files whose bytes are new, each in chunks. */
interface StagedFiles {
  readonly put: (path: string, pieces: Iterable<Uint8Array>) => void;
  readonly close: () => void;
}

/** Writes each file to a folder. Creates each folder once. */
function stagedFolder(stage: string): StagedFiles {
  let last = '';
  return {
    put: (path, pieces) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      // a folder that contains the last one exists
      if (folder !== last && !last.startsWith(`${folder}/`)) mkdirSync(join(stage, folder), { recursive: true });
      last = folder;
      writePieces(`${stage}/${path}`, pieces);
    },
    close: () => {},
  };
}

/** Appends each file to one file, as the member of a ZIP. Creates that file for the first member. */
function spooledMembers(spool: string): StagedFiles {
  let opened: { readonly file: number; readonly writer: BufferedFile } | undefined;
  return {
    put: (path, pieces) => {
      if (opened === undefined) {
        const file = openSync(spool, 'wx');
        opened = { file, writer: new BufferedFile(file) };
      }
      opened.writer.write(packMember(path, pieces));
    },
    close: () => {
      if (opened === undefined) return;
      try {
        opened.writer.flush();
      } finally {
        closeSync(opened.file);
      }
    },
  };
}

/** The size of the chunks that are written at once, in bytes. */
const BATCH_BYTES = 1 << 23;

/** Writes chunks of memory to one file without joining them first. Joining costs as much as hashing. */
function writePieces(path: string, pieces: Iterable<Uint8Array>): void {
  const file = openSync(path, 'w');
  try {
    let [batch, bytes]: [Uint8Array[], number] = [[], 0];
    for (const piece of pieces) {
      batch.push(piece);
      bytes += piece.length;
      if (bytes < BATCH_BYTES) continue;
      writeBatch(file, batch, bytes);
      [batch, bytes] = [[], 0];
    }
    if (bytes > 0) writeBatch(file, batch, bytes);
  } finally {
    closeSync(file);
  }
}

function writeBatch(file: number, batch: readonly Uint8Array[], bytes: number): void {
  const [only] = batch;
  const written = only !== undefined && batch.length === 1 ? writeSync(file, only) : writevSync(file, batch);
  // a full disk takes only a part: writing the rest throws the error
  if (written < bytes) writeFileSync(file, Buffer.concat(batch).subarray(written));
}
