import { DecompressionLimit } from '../contract/files/decompression-limit.ts';
import { ByteReader } from './byte-reader.ts';
import { HEAD_BYTES, startsAsWarc } from './detect-warc.ts';
import { MEMBER_MAGIC, type Member, readMember } from './gzip-member.ts';
import { MAX_BLOCK, type ReadRecord, type RecordHeader, readRecords } from './read-records.ts';
import { damaged, isDamage, type OnDamage } from './warc-damage.ts';

/** The largest header of a record that is searched, in bytes. */
const MAX_HEADER = 1 << 20;
const MAX_RECORD = MAX_BLOCK + MAX_HEADER;

export interface SalvageOptions {
  /** The size of the file, in bytes. */
  readonly size: number;
  /** Whether the block of a record is kept in memory. */
  readonly isWanted: (header: RecordHeader, number: number) => boolean;
  /** Called for each damaged part. The place has its position. */
  readonly onDamage: OnDamage;
}

/**
 * Yields the complete records of a damaged WARC. After damage, it searches for the beginning of the next record: of the
 * next gzip member, or of the next header in a WARC that is not compressed. Memory holds one record.
 * @throws Failure bad-encoding if the file expands too much
 */
export async function* salvageRecords(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  { size, isWanted, onDamage }: SalvageOptions,
): AsyncGenerator<ReadRecord & { readonly byte: number }> {
  const window = new ByteReader(bytes);
  const expansion = new DecompressionLimit(file);
  expansion.addPacked(size);
  let number = 0;
  try {
    await window.grow();
    const isCompressed = isCompressedIn(window.bytes);
    const read = isCompressed ? readMember : readPlainRecord;
    const [magic, isStart] = isCompressed ? [MEMBER_MAGIC, isMemberStart] : [HEADER_START, isHeaderStart];
    while (window.bytes.length > 0) {
      const byte = window.position;
      const most = isCompressed ? expansion.room : MAX_RECORD;
      const found = await nextRecord(window, (held) => read(held, Math.min(MAX_RECORD, most)));
      if (found.kind !== 'member') {
        if (found.kind === 'too-large' && most < MAX_RECORD) expansion.addPlain(most + 1);
        await skipToStart(window, magic, isStart);
        onDamage(damaged(file, 'a complete record', `${reasonOf(found)}; skipped ${window.position - byte} bytes`, byte));
        continue;
      }
      window.skip(found.length);
      if (isCompressed) expansion.addPlain(found.content.length);
      try {
        for await (const record of readRecords(file, inOnePiece(found.content), isWanted, number)) {
          number = record.number + 1;
          yield { ...record, byte };
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
        onDamage(damaged(file, error.expected ?? '', error.found ?? '', byte));
      }
    }
  } finally {
    await window.close();
  }
}

/** Reads on until the bytes have the whole record, or it is known that they never will. */
async function nextRecord(window: ByteReader, read: (held: Buffer) => Member): Promise<Member> {
  for (;;) {
    const found = read(window.bytes);
    if (found.kind !== 'cut' || window.isAtEnd) return found;
    if (window.bytes.length > MAX_RECORD) return { kind: 'too-large' };
    await window.grow();
  }
}

/** Whether the first record in the bytes is a gzip member. */
function isCompressedIn(bytes: Buffer): boolean {
  const header = startIn(bytes, HEADER_START, isHeaderStart, 0);
  const member = startIn(bytes, MEMBER_MAGIC, isMemberStart, 0);
  return member !== -1 && (header === -1 || member < header);
}

type IsStart = (bytes: Buffer, at: number) => boolean;

/** Returns the first position at which a record begins, or -1. */
function startIn(bytes: Buffer, magic: Buffer, isStart: IsStart, from: number): number {
  let at = bytes.indexOf(magic, from);
  while (at !== -1 && !isStart(bytes, at)) at = bytes.indexOf(magic, at + 1);
  return at;
}

/** Skips at least one byte, up to the next position at which a record begins, or to the end. */
async function skipToStart(window: ByteReader, magic: Buffer, isStart: IsStart): Promise<void> {
  for (let from = 1; ; ) {
    const { bytes, isAtEnd } = window;
    // a beginning near the end of the bytes is looked at when more are there
    const most = isAtEnd ? bytes.length : bytes.length - HEAD_BYTES;
    const at = startIn(bytes, magic, isStart, from);
    const isFound = at !== -1 && at < most;
    if (isFound || isAtEnd) {
      window.skip(isFound ? at : bytes.length);
      return;
    }
    window.skip(Math.max(0, most));
    from = most > 0 ? 0 : from;
    await window.grow();
  }
}

const HEADER_START = Buffer.from('WARC/1.');
/** The first two lines of a record: its version, and a field. */
const FIRST_LINES = /^WARC\/1\.\d\r\n[\w-]{1,100}:/;

function isMemberStart(bytes: Buffer, at: number): boolean {
  return startsAsWarc(bytes.subarray(at, at + HEAD_BYTES));
}

function isHeaderStart(bytes: Buffer, at: number): boolean {
  return FIRST_LINES.test(bytes.toString('latin1', at, at + HEAD_BYTES));
}

const RECORD_END = '\r\n\r\n';

/** Returns the record at the beginning of the bytes of a WARC that is not compressed. */
function readPlainRecord(bytes: Buffer, most: number): Member {
  const head = bytes.toString('latin1', 0, MAX_HEADER);
  if (!head.startsWith(HEADER_START.toString().slice(0, head.length))) return { kind: 'broken', reason: 'bytes that are not a record' };
  const end = head.indexOf(RECORD_END);
  if (end === -1) return head.length < MAX_HEADER ? { kind: 'cut' } : { kind: 'broken', reason: 'a header without an end' };
  const contentLength = /^Content-Length:[ \t]*(\d{1,15})[ \t]*$/im.exec(head.slice(0, end).replaceAll('\r', ''))?.[1];
  if (contentLength === undefined) return { kind: 'broken', reason: 'a header without a Content-Length' };
  const length = end + RECORD_END.length + Number(contentLength) + RECORD_END.length;
  if (length > most) return { kind: 'too-large' };
  if (length > bytes.length) return { kind: 'cut' };
  const isComplete = bytes.toString('latin1', length - RECORD_END.length, length) === RECORD_END;
  return isComplete
    ? { kind: 'member', length, content: bytes.subarray(0, length) }
    : { kind: 'broken', reason: 'a record of another length' };
}

export async function* inOnePiece(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function reasonOf(found: Exclude<Member, { readonly kind: 'member' }>): string {
  switch (found.kind) {
    case 'cut':
      return 'a record that is cut short';
    case 'too-large':
      return `a record of more than ${MAX_BLOCK} bytes`;
    case 'broken':
      return found.reason;
  }
}
