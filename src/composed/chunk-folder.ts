import { hash as digest } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeFileSync, writevSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chunkPath, type Node, parseNode } from '../rewrite/chunks.ts';
import { lstatOf, refuseFolder, refuseUnlessFolder } from '../tree/obstacles.ts';
import { readRegularFile } from '../tree/regular-file.ts';
import type { Chunk } from './chunk.ts';

/** The folder of all chunks in a tree. */
export const CHUNKS = 'chunks';

/** The error for a chunk that is missing or has other bytes than its name says. */
export class DamagedChunk extends Error {
  /** The path of the chunk, relative to the tree. */
  readonly path: string;
  /** The SHA-256 of its bytes; undefined if it cannot be read. */
  readonly found: string | undefined;

  constructor(path: string, message: string, found?: string) {
    super(message);
    this.name = 'DamagedChunk';
    this.path = path;
    this.found = found;
  }
}

/** Reads the chunks of a tree, and checks the hash of each. */
export class ChunkReader {
  readonly #out: string;

  constructor(out: string) {
    this.#out = out;
  }

  /** @throws DamagedChunk */
  read(hash: string): Buffer {
    const path = chunkPath(hash);
    const bytes = this.#bytesAt(path);
    const found = digest('sha256', bytes);
    if (found !== hash) throw new DamagedChunk(path, `the SHA-256 is ${found}`, found);
    return bytes;
  }

  /** @throws DamagedChunk */
  node(hash: string): Node {
    return parseNode(this.read(hash));
  }

  #bytesAt(path: string): Buffer {
    try {
      return readRegularFile(join(this.#out, path));
    } catch (error) {
      throw new DamagedChunk(path, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Reads chunks synchronously. */
export type Chunks = Pick<ChunkReader, 'read' | 'node'>;

/** Where new chunks go. It can be posted to another thread. */
export interface StageOptions {
  /** The tree's folder. */
  readonly out: string;
  /** A folder for new chunks, on the same disk. */
  readonly stage: string;
  /** Whether existing chunks are trusted to match their names. Otherwise each is read and hashed. */
  readonly isTrusted: boolean;
}

/** Writes the new chunks of a build: first into a stage, then all together into the tree. */
export class ChunkStage {
  readonly options: StageOptions;
  readonly #out: string;
  readonly #stage: string;
  readonly #staged = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(options: StageOptions) {
    this.options = options;
    this.#out = options.out;
    this.#stage = options.stage;
  }

  /** The paths of the chunks that the tree does not have yet. */
  get staged(): readonly string[] {
    return [...this.#staged];
  }

  /** Adds chunks that another thread staged in the same folder. */
  adopt(paths: readonly string[]): void {
    for (const path of paths) this.#staged.add(path);
  }

  /** Stages a chunk that the tree does not have yet. */
  put(chunk: Chunk): void {
    const path = chunkPath(chunk.hash);
    if (this.#staged.has(path)) return;
    if (this.#isThere(path, chunk)) return;
    const target = join(this.#stage, path);
    const folder = dirname(target);
    if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true });
    this.#folders.add(folder);
    writePieces(target, chunk);
    this.#staged.add(path);
  }

  /**
   * Checks that all chunks can be moved.
   * @throws Failure not-ours if something is in the way; then nothing was changed
   */
  check(): void {
    refuseUnlessFolder(join(this.#out, CHUNKS));
    for (const path of this.#staged) {
      refuseUnlessFolder(dirname(join(this.#out, path)));
      refuseFolder(join(this.#out, path), lstatOf(join(this.#out, path)));
    }
  }

  /** Moves the staged chunks into the tree. If it has no chunks, moves the whole folder: a full disk may not have space for new folders. */
  promote(): void {
    const [from, to] = [join(this.#stage, CHUNKS), join(this.#out, CHUNKS)];
    if (this.#staged.size === 0) return;
    if (!existsSync(to)) {
      renameSync(from, to);
      return;
    }
    const present = new Set<string>();
    for (const path of this.#staged) {
      const folder = dirname(join(this.#out, path));
      if (!present.has(folder)) {
        present.add(folder);
        if (!existsSync(folder)) {
          renameSync(dirname(join(this.#stage, path)), folder);
          continue;
        }
      }
      if (existsSync(join(this.#stage, path))) renameSync(join(this.#stage, path), join(this.#out, path));
    }
  }

  #isThere(path: string, { hash, bytes }: Chunk): boolean {
    const found = lstatOf(join(this.#out, path));
    if (found === undefined || !found.isFile() || found.size !== bytes) return false;
    return this.options.isTrusted || digest('sha256', readRegularFile(join(this.#out, path))) === hash;
  }
}

function writePieces(path: string, { pieces, bytes }: Chunk): void {
  const file = openSync(path, 'w');
  try {
    const written = writevSync(file, pieces);
    // a full disk takes only a part: writing the rest throws the error
    if (written < bytes) writeFileSync(file, Buffer.concat(pieces).subarray(written));
  } finally {
    closeSync(file);
  }
}
