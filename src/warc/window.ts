/** The least number of bytes that are read at once. */
const GROWTH = 1 << 18;

/** The next bytes of a stream, which can be looked at before they are skipped. */
export class Window {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** The bytes that were read and not skipped. */
  bytes: Buffer = Buffer.alloc(0);
  /** The position of the first of them in the stream. */
  position = 0;
  /** Whether no bytes follow. */
  isAtEnd = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Reads on, until the bytes are twice as many or the stream ends. */
  async grow(): Promise<void> {
    const pieces: Uint8Array[] = [this.bytes];
    const most = 2 * this.bytes.length + GROWTH;
    for (let length = this.bytes.length; length < most; ) {
      const { done, value } = await this.#chunks.next();
      this.isAtEnd = done === true;
      if (done) break;
      pieces.push(value);
      length += value.length;
    }
    this.bytes = Buffer.concat(pieces);
  }

  skip(length: number): void {
    this.bytes = this.bytes.subarray(length);
    this.position += length;
  }

  /** Ends the reading of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
