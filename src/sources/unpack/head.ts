import { closeSync, openSync, readSync } from 'node:fs';

/** Returns the first bytes of a file, or none if it cannot be read: a later read reports the error. */
export function fileHead(path: string, length: number): Buffer {
  const head = Buffer.alloc(length);
  try {
    const file = openSync(path, 'r');
    try {
      return head.subarray(0, readSync(file, head, 0, length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return head.subarray(0, 0);
  }
}

/** Reads until there are so many bytes, or all. */
export async function headOf(pieces: AsyncIterator<Uint8Array>, length: number, start: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  let head = start;
  while (head.length < length) {
    const piece = await pieces.next();
    if (piece.done) break;
    head = head.length === 0 ? asBuffer(piece.value) : Buffer.concat([head, piece.value]);
  }
  return head;
}

/** Yields the head and then the rest. */
export async function* resumed(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
