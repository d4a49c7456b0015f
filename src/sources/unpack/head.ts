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
