import { Failure } from '../failure.ts';

/**
 * How many times larger than its compressed form data may be. Snapshots that repeat every day reach about 150 in xz
 * and Zstandard. The highest ratio of gzip is 1,030, and a bomb in bzip2, xz or Zstandard has 10,000 or more.
 */
const MAX_RATIO = 1000;
/** Bytes up to which the ratio does not matter: so much is harmless. */
const SMALL = 1 << 26;

/** Counts bytes before and after decompression, to refuse a decompression bomb. */
export class DecompressionLimit {
  readonly #name: string;
  readonly #outer: DecompressionLimit | undefined;
  #packed = 0;
  #plain = 0;

  /**
   * @param name of the source, for the error
   * @param outer counts the source that contains this one, with everything in it
   */
  constructor(name: string, outer?: DecompressionLimit) {
    this.#name = name;
    this.#outer = outer;
  }

  addPacked(bytes: number): void {
    this.#packed += bytes;
  }

  /** How many more bytes {@link addPlain} accepts. */
  get room(): number {
    return Math.max(SMALL, this.#packed * MAX_RATIO) - this.#plain;
  }

  /** @throws Failure bad-encoding if the data expands too much */
  addPlain(bytes: number): void {
    this.#plain += bytes;
    if (this.room < 0) {
      throw new Failure('bad-encoding', `${this.#name} expands too much: it may be a decompression bomb`, {
        place: { file: this.#name },
        expected: `data that expands at most ${MAX_RATIO} times`,
        found: `more than ${this.#plain} bytes from ${this.#packed}`,
        hint: 'check where the file comes from; if you trust it, decompress it and name the result as the source',
      });
    }
    this.#outer?.addPlain(bytes);
  }
}

/** Yields the bytes and counts them. */
export async function* countPacked(
  bytes: AsyncIterable<Uint8Array>,
  ...expansions: readonly DecompressionLimit[]
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    for (const expansion of expansions) expansion.addPacked(piece.length);
    yield piece;
  }
}
