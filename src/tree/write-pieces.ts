import { closeSync, openSync, writeFileSync, writeSync, writevSync } from 'node:fs';

/** Writes chunks of memory to one file without joining them first. Joining costs as much as hashing. */
export function writePieces(path: string, pieces: readonly Uint8Array[]): void {
  const file = openSync(path, 'w');
  try {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const [only] = pieces;
    const written = only !== undefined && pieces.length === 1 ? writeSync(file, only) : writevSync(file, pieces);
    // a full disk takes only a part: writing the rest throws the error
    if (written < length) writeFileSync(file, Buffer.concat(pieces).subarray(written));
  } finally {
    closeSync(file);
  }
}
