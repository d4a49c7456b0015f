import { closeSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { openRegularFile } from './regular-file.ts';

/** How many bytes of a file are held at once: the manifest of a hundred thousand pages has eleven million. */
export const PIECE: number = 1 << 14;

/** A file's bytes, piece by piece in the same memory. */
export function* piecesOf(path: string): Generator<Buffer> {
  const file = openRegularFile(path);
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) yield piece.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** The same of bytes that are in memory. */
export function* piecesIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE) yield bytes.subarray(start, start + PIECE);
}

/** More characters than a line of these files has. */
const LONGEST = 1 << 20;

/** The lines of a text in pieces, without their ends: they are never all there at once. A longer line is cut. */
export function* linesIn(pieces: Iterable<Buffer>): Generator<string> {
  let rest = '';
  const decoder = new StringDecoder('utf8');
  for (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    // a file without line breaks could be of any length
    rest = rest.slice(0, LONGEST);
  }
  if (rest !== '') yield rest;
}
