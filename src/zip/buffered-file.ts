import { writeSync } from 'node:fs';

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
    if (bytes.length > BUFFER) writeAll(this.#file, bytes);
    else this.#waiting += bytes.copy(this.#buffer, this.#waiting);
  }

  /** Replaces bytes that were written before. */
  replace(bytes: Buffer, offset: number): void {
    this.flush();
    writeAll(this.#file, bytes, offset);
  }

  /** Writes everything to the file. */
  flush(): void {
    writeAll(this.#file, this.#buffer.subarray(0, this.#waiting));
    this.#waiting = 0;
  }
}

/** A full disk takes only a part at first: writing the rest throws the error. */
function writeAll(file: number, bytes: Buffer, offset?: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, offset === undefined ? null : offset + at);
  }
}
