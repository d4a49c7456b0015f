import { readSync, writeSync } from 'node:fs';
import { LruMap } from '../sources/lru-map.ts';
import type { SpoolFile } from './spool-file.ts';

/** How much is gathered before it is written, in bytes. */
const CHUNK_BYTES = 1 << 20;
/** How much text is remembered, so that the same text is not kept twice, in UTF-16 units. */
const CACHE_UNITS = 1 << 23;
/** A text's length comes before it. */
const LENGTH_BYTES = 4;

/** Texts kept in a file, each to be had again by where it lies. Most texts come often and are kept once. */
export class StringPool {
  readonly #spool: SpoolFile;
  readonly #piece = Buffer.allocUnsafe(CHUNK_BYTES);
  #gathered = 0;
  /** Nothing lies at 0, so that 0 can stand for nothing. */
  #written = 1;
  readonly #places = new LruMap<number>(CACHE_UNITS);

  /** @param spool an empty file of its own, which it closes */
  constructor(spool: SpoolFile) {
    this.#spool = spool;
  }

  /** Keeps a text that may have come before; where it lies. */
  put(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.append(text);
    this.#places.set(text, place);
    return place;
  }

  /** Keeps a text that is most likely new; where it lies. */
  append(text: string): number {
    const place = this.#written + this.#gathered;
    const length = Buffer.byteLength(text);
    if (this.#gathered + LENGTH_BYTES + length > CHUNK_BYTES) this.#flush();
    if (LENGTH_BYTES + length > CHUNK_BYTES) {
      const whole = Buffer.allocUnsafe(LENGTH_BYTES + length);
      whole.writeUInt32LE(length);
      whole.write(text, LENGTH_BYTES);
      this.#write(whole);
    } else {
      this.#piece.writeUInt32LE(length, this.#gathered);
      this.#gathered += LENGTH_BYTES + this.#piece.write(text, this.#gathered + LENGTH_BYTES);
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
    this.#write(this.#piece.subarray(0, this.#gathered));
    this.#gathered = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#spool.descriptor, bytes, done, bytes.length - done, this.#written + done);
    this.#written += bytes.length;
  }

  #read(position: number, into: Buffer): Buffer {
    for (let done = 0; done < into.length; ) {
      const read = readSync(this.#spool.descriptor, into, done, into.length - done, position + done);
      if (read === 0) throw new Error('a file of texts is shorter than what was written to it');
      done += read;
    }
    return into;
  }
}
