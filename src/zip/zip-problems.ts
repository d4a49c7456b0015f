import { setImmediate } from 'node:timers/promises';
import { crc32After } from '../contract/files/checksums.ts';
import { decodeEntry, encodeEndRecords, encodeEntry } from './central-directory.ts';
import { encodeHeader, HEADER_BYTES, STORED } from './local-header.ts';
import { ZipDamage } from './member.ts';
import { INDEX, isIntact, type MemberPlace, ROW, TRAILER } from './zip-index.ts';
import type { ZipReader } from './zip-reader.ts';

/** Something that a {@link ZipWriter} does not write. */
export interface ZipProblem {
  /** The path of the member, or of the index. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * Compares the index of a ZIP with its central directory and with the places of the members. Reads no member: a reader compares
 * its local header and its CRC-32 with the index.
 * @returns yields a problem, or undefined for a member without one
 * @throws ZipDamage if the central directory or the index cannot be read
 */
export function* zipProblems(zip: ZipReader): Generator<ZipProblem | undefined> {
  let [end, members, withRow] = [0, 0, 0];
  for (const entry of zip.entries()) {
    const listed = decodeEntry(entry);
    const { path } = listed;
    const row = path === INDEX ? undefined : rowOf(zip, path);
    if (path === INDEX) yield* indexProblems(zip, entry, end, members, withRow);
    else if (row === undefined) yield { path, expected: 'a row in the index', found: 'no such row' };
    else {
      withRow += 1;
      const isSame = encodeEntry(encodeHeader(row), path.length, row.offset).equals(entry);
      if (!isSame) yield { path, expected: `${placeText(row)}, as the index says`, found: `${placeText(listed)}, or other fields` };
      else if (listed.offset !== end) yield { path, expected: `a local header at byte ${end}`, found: `one at byte ${listed.offset}` };
      else yield undefined;
    }
    end = listed.offset + HEADER_BYTES + path.length + listed.packed;
    members += 1;
  }
  const { offset, length } = zip.records;
  if (end !== offset) yield { path: INDEX, expected: `the central directory at byte ${end}`, found: `at byte ${offset}` };
  const records = encodeEndRecords(zip.records);
  if (!records.equals(zip.bytes(offset + length, records.length)))
    yield { path: INDEX, expected: `${records.toString('hex')} as the end of the ZIP`, found: 'other bytes' };
}

/**
 * Checks a whole ZIP: its index, and each member with its CRC-32.
 * @throws ZipDamage
 */
export async function checkMembers(zip: ZipReader): Promise<void> {
  for (const problem of zipProblems(zip))
    if (problem !== undefined) throw new ZipDamage(`${problem.path}: expected ${problem.expected}, found ${problem.found}`);
  let done = 0;
  for (const path of zip.paths()) {
    zip.read(path);
    done += 1;
    // signals and timers wait until then
    if (done % 1000 === 0) await setImmediate();
  }
}

/** Finds a row; undefined also if its bucket is damaged. */
function rowOf(zip: ZipReader, path: string): MemberPlace | undefined {
  try {
    return zip.find(path);
  } catch (error) {
    if (error instanceof ZipDamage) return undefined;
    throw error;
  }
}

function placeText({ offset, packed, size, crc }: ReturnType<typeof decodeEntry>): string {
  return `${packed} of ${size} bytes at byte ${offset} with the CRC-32 ${crc.toString(16)}`;
}

/**
 * @param end the offset of the byte after the last member
 * @param members the number of members before the index
 * @param withRow how many of them have a row
 */
function* indexProblems(zip: ZipReader, entry: Buffer, end: number, members: number, withRow: number): Generator<ZipProblem> {
  const { offset, buckets, capacity } = zip.index;
  const start = offset - HEADER_BYTES - INDEX.length;
  if (start !== end) yield { path: INDEX, expected: `a local header at byte ${end}`, found: `one at byte ${start}` };
  if (members !== zip.members) yield { path: INDEX, expected: 'no member after it', found: `${zip.members - members}` };
  let [rows, crc, damaged] = [0, 0, 0];
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const bytes = zip.bytes(offset + bucket * capacity * ROW, capacity * ROW);
    crc = crc32After(crc, bytes);
    if (!isIntact(bytes)) damaged += 1;
    for (let at = 0; at < bytes.length - ROW; at += ROW) if (bytes.subarray(at, at + ROW).some((byte) => byte !== 0)) rows += 1;
  }
  const length = buckets * capacity * ROW + TRAILER;
  crc = crc32After(crc, zip.bytes(offset + length - TRAILER, TRAILER));
  if (rows !== withRow) yield { path: INDEX, expected: `${withRow} rows`, found: `${rows} rows` };
  if (damaged > 0) yield { path: INDEX, expected: 'buckets that match their CRC-32', found: `${damaged} of ${buckets} that do not` };
  const header = encodeHeader({ path: INDEX, method: STORED, crc, packed: length, size: length });
  const isSame = start >= 0 && encodeEntry(header, INDEX.length, start).equals(entry) && header.equals(zip.bytes(start, header.length));
  if (isSame) return;
  yield { path: INDEX, expected: 'its length and its CRC-32 in its headers', found: 'other headers, or other bytes' };
}
