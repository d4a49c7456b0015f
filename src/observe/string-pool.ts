import { readSync, writeSync } from 'node:fs';
import type { SpoolFile } from '../store/spool-file.ts';

/** How many bytes are buffered before a write. */
const CHUNK_BYTES = 1 << 20;
/** Before each text is its length, in this many bytes. */
const LENGTH_BYTES = 4;
/** How many bytes are read at once to get a text. Most profiles are shorter. */
const READ_BYTES = 1 << 10;

/** Stores texts in a file and returns them by their place. */
export class StringPool {
  readonly #spool: SpoolFile;
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #buffered = 0;
  /** Place 0 is never used, so that 0 can mean "no text". */
  #written = 1;

  /** @param spool an empty file for this pool alone, which it closes */
  constructor(spool: SpoolFile) {
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
    const { descriptor } = this.#spool;
    const read = readSync(descriptor, READ_BUFFER, 0, READ_BYTES, place);
    const end = read < LENGTH_BYTES ? Number.POSITIVE_INFINITY : LENGTH_BYTES + READ_BUFFER.readUInt32LE();
    if (end <= read) return READ_BUFFER.toString('utf8', LENGTH_BYTES, end);
    if (end === Number.POSITIVE_INFINITY) throw tooShort();
    return readFully(descriptor, place + LENGTH_BYTES, Buffer.allocUnsafe(end - LENGTH_BYTES)).toString();
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
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#spool.descriptor, bytes, done, bytes.length - done, this.#written + done);
    this.#written += bytes.length;
  }
}

const READ_BUFFER = Buffer.allocUnsafe(READ_BYTES);

function readFully(descriptor: number, position: number, into: Buffer): Buffer {
  for (let done = 0; done < into.length; ) {
    const read = readSync(descriptor, into, done, into.length - done, position + done);
    if (read === 0) throw tooShort();
    done += read;
  }
  return into;
}

function tooShort(): Error {
  return new Error('the text file is shorter than the data written to it');
}
