/** The length of a local header before the path, in bytes. */
export const HEADER_BYTES = 30;

/** The most bytes of a path. */
export const LONGEST_PATH = 1024;

/** The methods of a member: its bytes as they are, or deflated. */
export const STORED = 0;
export const DEFLATED = 8;

/** No member and no packed member is longer: the local header has 32 bits for a length. */
const LONGEST = 0xffff_fffe;

/** What the local header of a member says. It says the same as the central directory, which also has the place. */
export interface MemberHeader {
  /** Relative, with slashes, in ASCII. */
  readonly path: string;
  readonly method: number;
  /** The CRC-32 of the bytes. */
  readonly crc: number;
  /** The length of the member as it lies in the ZIP, without its local header. */
  readonly packed: number;
  /** The length of the bytes. */
  readonly size: number;
}

/** The signature, version 2.0, no flags, a method; then the time 1980-01-01 00:00. All members have it. */
const START = Buffer.from('504b030414000000', 'hex');
const TIME = Buffer.from('00002100', 'hex');

/** @throws RangeError if the path is not ASCII or too long, or a length has more than 32 bits */
export function encodeHeader({ path, method, crc, packed, size }: MemberHeader): Buffer {
  if (path.length > LONGEST_PATH || !/^[\x20-\x7e]+$/.test(path)) throw new RangeError(`${path} cannot be the path of a member of a ZIP`);
  if (packed > LONGEST || size > LONGEST) throw new RangeError(`${path} has 4 GiB or more, which is too long for a member of a ZIP`);
  // from Node's pool: there is one for each member
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + path.length).fill(0);
  bytes.set(START);
  bytes.writeUInt16LE(method, 8);
  bytes.set(TIME, 10);
  bytes.writeUInt32LE(crc, 14);
  bytes.writeUInt32LE(packed, 18);
  bytes.writeUInt32LE(size, 22);
  bytes.writeUInt16LE(path.length, 26);
  bytes.write(path, HEADER_BYTES, 'latin1');
  return bytes;
}

/**
 * Decodes a local header. It may be the start of a longer buffer.
 * @returns undefined if the bytes are not a local header that {@link encodeHeader} makes. The path is cut if the bytes end in it
 */
export function decodeHeader(bytes: Buffer): MemberHeader | undefined {
  if (bytes.length < HEADER_BYTES || START.compare(bytes, 0, 8) !== 0 || TIME.compare(bytes, 10, 14) !== 0) return undefined;
  if (bytes.readUInt16LE(28) !== 0) return undefined;
  return {
    path: bytes.toString('latin1', HEADER_BYTES, HEADER_BYTES + bytes.readUInt16LE(26)),
    method: bytes.readUInt16LE(8),
    crc: bytes.readUInt32LE(14),
    packed: bytes.readUInt32LE(18),
    size: bytes.readUInt32LE(22),
  };
}
