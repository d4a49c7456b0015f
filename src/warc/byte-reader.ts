/** Reads lines and counted bytes from a stream of chunks. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);

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
      const end = this.#chunk.indexOf(0x0a);
      const piece = this.#next(end === -1 ? this.#chunk.length : end + 1);
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
      const piece = this.#next(Math.min(left, this.#chunk.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** Ends the reading of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Returns false at the end of the bytes. */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    return true;
  }

  #next(length: number): Buffer {
    const piece = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    return piece;
  }
}
