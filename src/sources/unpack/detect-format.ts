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

/** Whether the first two bytes are those of JSON in UTF-8, and not in UTF-16 or UTF-32. */
export function isLikeJson(head: Buffer): boolean {
  return (head[0] === 0x7b || head[0] === 0x5b) && head[1] !== 0;
}

/** How many bytes are needed to detect an archive or another format: the first header of a tar. */
export const HEADER_BYTES = 512;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** Whether bytes are the header of a tar archive. The checksum shows this in all versions of the format. */
export function isTar(head: Buffer): boolean {
  if (head.length < HEADER_BYTES || head[0] === 0) return false;
  const field = head.toString('latin1', CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES).replace(/[\0 ]+$/, '');
  if (!/^ *[0-7]+$/.test(field)) return false;
  let sum = CHECKSUM_BYTES * 0x20;
  for (let at = 0; at < HEADER_BYTES; at += 1) if (at < CHECKSUM_AT || at >= CHECKSUM_AT + CHECKSUM_BYTES) sum += head[at] ?? 0;
  return sum === Number.parseInt(field, 8);
}

/** Whether bytes are the start of a ZIP file. */
export function isZip(head: Buffer): boolean {
  return ['PK\x03\x04', 'PK\x05\x06'].includes(head.toString('latin1', 0, 4));
}

/** The first member of the ZIP of a tree. */
export const FIRST_OF_TREE = 'rest/data/index.json';

/** Whether bytes are the start of the ZIP of a tree. The path of the first member begins at byte 30. */
export function isZipOfTree(head: Buffer): boolean {
  return isZip(head) && head.toString('latin1', 30, 30 + FIRST_OF_TREE.length) === FIRST_OF_TREE;
}
