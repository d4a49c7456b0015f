import { constants } from 'node:buffer';
import { fstatSync } from 'node:fs';
import { readFully } from '../contract/files/file-bytes.ts';
import { isGzip, startsAsWarc } from './detect-warc.ts';
import { readMember } from './gzip-member.ts';

/** The header of a gzip member as zlib writes it, without a name and a time. */
const MEMBER_START = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);
/** How many bytes at the end of a file are looked at first. */
const WINDOW = 1 << 20;

/**
 * Returns where the last complete record of a WARC ends: after a crash the bytes behind it are part of a record.
 * @returns undefined if the file is not a WARC, or has other bytes than part of a record behind its last one
 */
export function validEnd(file: number): number | undefined {
  const { size } = fstatSync(file);
  const head = read(file, 0, Math.min(size, 1 << 16));
  if (size === 0) return 0;
  if (!startsAsWarc(head)) return undefined;
  return isGzip(head) ? endOfMembers(file, size) : endOfRecords(file, size);
}

/** Searches from the end, so that a large file takes no longer than a small one. */
function endOfMembers(file: number, size: number): number | undefined {
  for (let window = Math.min(WINDOW, size); ; window = Math.min(4 * window, size)) {
    const tail = read(file, size - window, window);
    for (let at = tail.lastIndexOf(MEMBER_START); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(MEMBER_START, at - 1)) {
      const length = memberLength(tail.subarray(at));
      if (length === undefined) continue;
      const rest = tail.subarray(at + length);
      return isPartOf(rest, MEMBER_START) ? size - rest.length : undefined;
    }
    if (window === size) return undefined;
  }
}

/** Returns the length of the gzip member at the beginning of the bytes; undefined if it is not a complete record. */
function memberLength(bytes: Buffer): number | undefined {
  const member = readMember(bytes, constants.MAX_LENGTH);
  return member.kind === 'member' && startsAsWarc(member.content) ? member.length : undefined;
}

const RECORD_END = '\r\n\r\n';

function endOfRecords(file: number, size: number): number | undefined {
  for (let at = 0; ; ) {
    const head = read(file, at, Math.min(1 << 16, size - at)).toString('latin1');
    const [, header, length] =
      /^(WARC\/1\.\d\r\n(?:[^\r\n]+\r\n)*?Content-Length:[ \t]*(\d{1,15})\r\n(?:[^\r\n]+\r\n)*\r\n)/i.exec(head) ?? [];
    if (header === undefined) return isPartOf(Buffer.from(head, 'latin1'), Buffer.from('WARC/1.')) ? at : undefined;
    const end = at + header.length + Number(length) + RECORD_END.length;
    if (end > size) return at;
    if (read(file, end - RECORD_END.length, RECORD_END.length).toString('latin1') !== RECORD_END) return undefined;
    at = end;
    if (at === size) return at;
  }
}

/** Whether bytes are the beginning of a record, or the zeros of a write that the disk has not done. */
function isPartOf(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length)) || bytes.every((byte) => byte === 0);
}

function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readFully(file, bytes, position));
}
