/** The least number of bytes that {@link ByteReader.grow} adds. */
const GROWTH = 1 << 18;

/** Reads a stream of chunks. The next bytes can be looked at before they are taken. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** The bytes that were read and not taken. */
  bytes: Buffer = Buffer.alloc(0);
  /** The position of the first of them in the stream. */
  position = 0;
  /** Whether no bytes follow. */
  isAtEnd = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /**
   * Returns the next line without its line end. Returns undefined at the end of the bytes, and null for a line that has
   * more than `most` bytes or no line end.
   */
  async line(most: number): Promise<string | undefined | null> {
    const pieces: Buffer[] = [];
    let length = 0;
    while (await this.#fill()) {
      const end = this.bytes.indexOf(0x0a);
      const piece = this.skip(end === -1 ? this.bytes.length : end + 1);
      pieces.push(piece);
      length += piece.length;
      if (length > most) return null;
      if (end !== -1)
        return Buffer.concat(pieces)
          .toString('utf8')
          .replace(/\r?\n$/, '');
    }
    return length === 0 ? undefined : null;
  }

  /** Yields the next bytes, fewer if the stream ends. */
  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0 && (await this.#fill()); ) {
      const piece = this.skip(Math.min(left, this.bytes.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** Reads on, until the bytes are twice as many or the stream ends. */
  async grow(): Promise<void> {
    const pieces = [this.bytes];
    const most = 2 * this.bytes.length + GROWTH;
    for (let length = this.bytes.length; length < most; length += pieces.at(-1)?.length ?? 0) {
      const chunk = await this.#next();
      if (chunk === undefined) break;
      pieces.push(chunk);
    }
    this.bytes = Buffer.concat(pieces);
  }

  /** Returns the next bytes, which must have been read. */
  skip(length: number): Buffer {
    const piece = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    this.position += length;
    return piece;
  }

  /** Ends the reading of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Returns false at the end of the bytes. */
  async #fill(): Promise<boolean> {
    for (let chunk: Buffer | undefined; this.bytes.length === 0; this.bytes = chunk) {
      chunk = await this.#next();
      if (chunk === undefined) return false;
    }
    return true;
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#chunks.next();
    this.isAtEnd = done === true;
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
