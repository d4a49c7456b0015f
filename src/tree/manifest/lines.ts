import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { chunks } from '../../contract/files/write-files.ts';
import { openRegularFile } from '../regular-file.ts';

/** The size of a read buffer in bytes. The manifest of a hundred thousand pages has eleven million bytes. */
const PIECE = 1 << 14;

/** Reads a file in chunks, which all are in one buffer. */
export function* piecesOf(path: string, piece: Buffer = Buffer.allocUnsafe(PIECE)): Generator<Buffer> {
  const file = openRegularFile(path);
  try {
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) yield piece.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Splits bytes in memory into chunks. */
export function* piecesIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE) yield bytes.subarray(start, start + PIECE);
}

/**
 * Writes a file, many lines at a time.
 * @returns the SHA-256 of its bytes, as hexadecimal digits
 */
export function writeHashed(path: string, lines: Iterable<string>): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  try {
    for (const chunk of chunks(lines)) {
      hash.update(chunk);
      writeFileSync(file, chunk);
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

/** More characters than any line of these files has. */
const LONGEST = 1 << 20;

/** Yields the lines of a chunked text without their line ends, one at a time in memory. Cuts a line that is too long. */
export function* linesIn(pieces: Iterable<Buffer>, encoding: 'utf8' | 'latin1' = 'utf8'): Generator<string> {
  let rest = '';
  const decoder = new StringDecoder(encoding);
  for (const piece of pieces) {
    const text = decoder.write(piece);
    // a file without line breaks could have any length
    if (rest.length === LONGEST && !text.includes('\n')) continue;
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** One line of a manifest: a file's digest and its path. */
export interface ManifestLine {
  readonly digest: string;
  readonly path: string;
}

export function parseLine(line: string): ManifestLine | undefined {
  return /^[0-9a-f]{64} {2}.+$/.test(line) ? { digest: line.slice(0, 64), path: line.slice(66) } : undefined;
}
