import { readSync, writeSync } from 'node:fs';
import { LruMap } from '../sources/lru-map.ts';
import type { SpoolFile } from './spool-file.ts';

/** How many bytes are buffered before a write. */
const CHUNK_BYTES = 1 << 20;
/** How much text is cached to detect duplicates, in UTF-16 units. */
const CACHE_UNITS = 1 << 23;
/** The length of a text precedes it. */
const LENGTH_BYTES = 4;

/** Stores texts in a file and returns them by their place. A text that recurs soon is stored once. */
export class StringPool {
  readonly #spool: SpoolFile;
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #buffered = 0;
  /** Place 0 is never used, so that 0 can mean "no text". */
  #written = 1;
  readonly #places = new LruMap<number>(CACHE_UNITS);

  /** @param spool an empty file for this pool alone, which it closes */
  constructor(spool: SpoolFile) {
    this.#spool = spool;
  }

  /** Stores a text that may be a duplicate, and returns its place. */
  put(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.append(text);
    this.#places.set(text, place);
    return place;
  }

  /** Stores a text that is probably new, and returns its place. */
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
    const head = this.#read(place, Buffer.allocUnsafe(LENGTH_BYTES));
    return this.#read(place + LENGTH_BYTES, Buffer.allocUnsafe(head.readUInt32LE())).toString();
  }

  close(): void {
    this.#spool.close();
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#spool.descriptor, bytes, done, bytes.length - done, this.#written + done);
    this.#written += bytes.length;
  }

  #read(position: number, into: Buffer): Buffer {
    for (let done = 0; done < into.length; ) {
      const read = readSync(this.#spool.descriptor, into, done, into.length - done, position + done);
      if (read === 0) throw new Error('the text file is shorter than the data written to it');
      done += read;
    }
    return into;
  }
}
