import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';
import { openTemporaryFile, type TemporaryFile } from '../contract/files/temporary-file.ts';
import { count, text } from '../contract/json-shape.ts';
import type { StoreImage, StoreState } from '../store/store-image.ts';
import { VERSION_SHAPE, type Version, type VersionKind } from '../versions/commit-format.ts';

/** The store at the time of one push. Its data is the file of the store, compressed with brotli. */
export interface StoreVersion extends Version, Pick<StoreState, 'revision' | 'observed'> {
  /** The release of palimpsest that pushed it, and the version of the store's schema. */
  readonly palimpsest: string;
  readonly schema: number;
  /** The length of the file of the store, and its SHA-256 as hexadecimal digits. */
  readonly store_bytes: number;
  readonly store_sha256: string;
}

/** Versions of a store. They are private: no cache may keep them. */
export const STORE_KIND: VersionKind<StoreVersion> = {
  name: 'store',
  suffix: '.db.br',
  contentType: 'application/octet-stream',
  cacheControl: { data: 'private, no-store', head: 'private, no-store' },
  isReadByHead: false,
  shape: {
    ...VERSION_SHAPE,
    revision: count,
    observed: count,
    palimpsest: text,
    schema: count,
    store_bytes: count,
    store_sha256: text,
  },
};

/** Returns what {@link StoreImage.descendsFrom} compares. */
export function stateOfVersion({ revision, store, observed }: StoreVersion): Pick<StoreState, 'revision' | 'fingerprint' | 'observed'> {
  return { revision, fingerprint: store, observed };
}

/** The bytes of a store, compressed with brotli in a temporary file. */
export type CompressedStore = TemporaryFile & Pick<StoreVersion, 'bytes' | 'sha256' | 'store_bytes' | 'store_sha256'>;

/** Called with the number of bytes of the store so far. Can stop the work with an error. */
type OnBytes = (done: number) => void;

/** Whether a store has the bytes of a version. It is only read if it may have them. */
export async function hasBytesOf(version: StoreVersion, image: StoreImage, onRead: OnBytes): Promise<boolean> {
  if (image.bytes !== version.store_bytes || image.state.fingerprint !== version.store) return false;
  const digest = new Digest(onRead);
  for await (const _ of digest.of(image.pieces()));
  return digest.hex() === version.store_sha256;
}

/** Compresses a store into a temporary file beside it. */
export async function compress(image: StoreImage, onRead: OnBytes): Promise<CompressedStore> {
  const spool = openTemporaryFile(image.path);
  const [before, after] = [new Digest(onRead), new Digest(() => {})];
  // quality 5 needs twice the processor time for 3 % fewer bytes, a larger window more memory for less than 1 %;
  // with the size, brotli chooses a better hash table
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 20,
    [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(image.bytes, 2 ** 30),
  };
  const compressor = createBrotliCompress({ chunkSize: 1 << 18, params });
  try {
    await pipeline(before.of(image.pieces()), compressor, async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of after.of(pieces)) {
        spool.write(piece, after.bytes - piece.length);
      }
    });
    return { ...spool, bytes: after.bytes, sha256: after.hex(), store_bytes: before.bytes, store_sha256: before.hex() };
  } catch (error) {
    spool.close();
    throw error;
  }
}

/** Decompresses a store into a file. Returns its SHA-256. */
export async function decompress(compressed: string, path: string, onWritten: OnBytes): Promise<string> {
  const digest = new Digest(onWritten);
  const pieces = (from: AsyncIterable<Buffer>) => digest.of(from);
  await pipeline(createReadStream(compressed), createBrotliDecompress(), pieces, createWriteStream(path, { flush: true }));
  return digest.hex();
}

/** The number and the SHA-256 of bytes that pass. */
class Digest {
  bytes = 0;
  readonly #hash = createHash('sha256');
  readonly #onBytes: OnBytes;

  constructor(onBytes: OnBytes) {
    this.#onBytes = onBytes;
  }

  async *of(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.#hash.update(piece);
      this.bytes += piece.length;
      this.#onBytes(this.bytes);
      yield piece;
    }
  }

  hex(): string {
    return this.#hash.digest('hex');
  }
}
