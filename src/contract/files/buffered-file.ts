import { writeFully } from './file-bytes.ts';

/** The bytes that are written at a time. */
const BUFFER = 1 << 18;

/** Appends to a file, many bytes at a time. */
export class BufferedFile {
  /** The number of bytes so far. */
  length = 0;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER);
  #waiting = 0;

  constructor(file: number) {
    this.#file = file;
  }

  write(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.#waiting + bytes.length > BUFFER) this.flush();
    if (bytes.length > BUFFER) writeFully(this.#file, bytes);
    else this.#waiting += bytes.copy(this.#buffer, this.#waiting);
  }

  /** Replaces bytes that were written before. */
  replace(bytes: Buffer, offset: number): void {
    this.flush();
    writeFully(this.#file, bytes, offset);
  }

  /** Writes everything to the file. */
  flush(): void {
    writeFully(this.#file, this.#buffer.subarray(0, this.#waiting));
    this.#waiting = 0;
  }
}
