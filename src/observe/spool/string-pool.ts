import type { TemporaryFile } from '../../contract/files/temporary-file.ts';

/** How many bytes are buffered before a write. */
const CHUNK_BYTES = 1 << 20;
/** Before each text is its length, in this many bytes. */
const LENGTH_BYTES = 4;
/** How many bytes are read at once to get a text. Most profiles are shorter. */
const READ_BYTES = 1 << 10;

/** Stores texts in a file and returns them by their place. */
export class StringPool {
  readonly #spool: TemporaryFile;
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #buffered = 0;
  /** Place 0 is never used, so that 0 can mean "no text". */
  #written = 1;

  /** @param spool an empty file for this pool alone, which it closes */
  constructor(spool: TemporaryFile) {
    this.#spool = spool;
  }

  /** Stores a text, and returns its place. */
  append(text: string): number {
    const place = this.#written + this.#buffered;
    const length = Buffer.byteLength(text);
    if (this.#buffered + LENGTH_BYTES + length > CHUNK_BYTES) this.#flush();
    if (LENGTH_BYTES + length > CHUNK_BYTES) {
      const whole = Buffer.allocUnsafe(LENGTH_BYTES + length);
      whole.writeUInt32LE(length);
      whole.write(text, LENGTH_BYTES);
      this.#write(whole);
    } else {
      this.#buffer.writeUInt32LE(length, this.#buffered);
      this.#buffered += LENGTH_BYTES + this.#buffer.write(text, this.#buffered + LENGTH_BYTES);
    }
    return place;
  }

  get(place: number): string {
    this.#flush();
    const read = this.#spool.read(READ_BUFFER, place);
    const length = read < LENGTH_BYTES ? 0 : READ_BUFFER.readUInt32LE();
    if (LENGTH_BYTES + length <= read) return READ_BUFFER.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length);
    const text = Buffer.allocUnsafe(length);
    this.#spool.readFully(text, place + LENGTH_BYTES);
    return text.toString();
  }

  close(): void {
    this.#spool.close();
  }

  #flush(): void {
    if (this.#buffered === 0) return;
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array): void {
    this.#spool.write(bytes, this.#written);
    this.#written += bytes.length;
  }
}

const READ_BUFFER = Buffer.allocUnsafe(READ_BYTES);
