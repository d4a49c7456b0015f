import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * Reads bytes of a file into a buffer until it is full or the file ends.
 * @returns the number of bytes that were read
 */
export function readFully(file: number, into: Uint8Array, position: number): number {
  let done = 0;
  for (let length = -1; length !== 0 && done < into.length; done += length)
    length = readSync(file, into, done, into.length - done, position + done);
  return done;
}

/** Returns the first bytes of a file, or none if it cannot be read: a later read reports the error. */
export function fileHead(path: string, length: number): Buffer {
  const head = Buffer.alloc(length);
  try {
    const file = openSync(path, 'r');
    try {
      return head.subarray(0, readFully(file, head, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return head.subarray(0, 0);
  }
}

/** Does the same as {@link readFully}, without blocking. */
export async function readHandleFully(file: FileHandle, into: Uint8Array, position: number): Promise<number> {
  let done = 0;
  for (let length = -1; length !== 0 && done < into.length; done += length)
    length = (await file.read(into, done, into.length - done, position + done)).bytesRead;
  return done;
}

/**
 * Writes all bytes to a file. A full disk takes only a part at first: writing the rest throws the error.
 * @param position null: after the bytes that were written last
 */
export function writeFully(file: number, bytes: Uint8Array, position: number | null = null): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done);
}

/** Makes sure that a rename in a folder survives a loss of power. */
export function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

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

  write(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.#waiting + bytes.length > BUFFER) this.flush();
    if (bytes.length > BUFFER) {
      writeFully(this.#file, bytes);
      return;
    }
    this.#buffer.set(bytes, this.#waiting);
    this.#waiting += bytes.length;
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
