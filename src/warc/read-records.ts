import { ByteReader } from './byte-reader.ts';
import { type ClaimedDigest, claimedDigest, hashFor, isClaimed } from './digest.ts';
import { damaged } from './warc-damage.ts';

export interface RecordHeader {
  readonly type: string;
  /** Without angle brackets; '' if there is none. */
  readonly url: string;
  readonly date: string;
  /** The media type of the block, in lower case and without parameters. */
  readonly mediaType: string;
  readonly payloadDigest: ClaimedDigest | undefined;
  readonly blockDigest: ClaimedDigest | undefined;
}

export interface ReadRecord extends RecordHeader {
  /** The number of the record in the WARC, from 0. */
  readonly number: number;
  /** The bytes of the record; undefined if they were not wanted. */
  readonly block: Buffer | undefined;
}

/** The largest header line, header and block that is kept, in bytes. */
const MAX_LINE = 1 << 16;
const MAX_LINES = 1000;
export const MAX_BLOCK: number = 1 << 28;

/**
 * Yields the records of a WARC, decompressed. Checks each against its length and the digest of its block. The npm package
 * warcio is not used here: it skips what it does not understand, so that a damaged archive looks like a shorter one.
 * @param isWanted whether the block of a record is kept in memory
 * @throws Failure bad-archive if the bytes are not a WARC, are cut short, or differ from a digest
 */
export async function* readRecords(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  isWanted: (header: RecordHeader, number: number) => boolean,
  first = 0,
): AsyncGenerator<ReadRecord> {
  const reader = new ByteReader(bytes);
  try {
    for (let number = first; ; number += 1) {
      const fields = await readFields(reader, file, number);
      if (fields === undefined && number > first) return;
      if (fields === undefined) throw damaged(file, `WARC/1.0 or WARC/1.1, the header of record ${number + 1}`, 'the end of the file');
      const header = headerOf(fields);
      checkHeader(file, `record ${number + 1}`, header);
      const length = fields.get('content-length') ?? '';
      if (!/^\d{1,15}$/.test(length)) throw damaged(file, `a Content-Length of record ${number + 1}`, length || 'nothing');
      const isKept = isWanted(header, number);
      const name = `record ${number + 1}${header.url === '' ? '' : `, ${header.url}`}`;
      const block = await readBlock(reader, file, name, Number(length), header, isKept);
      yield { ...header, number, block };
    }
  } finally {
    await reader.close();
  }
}

/** Reads a header. Returns undefined at the end of the WARC. */
async function readFields(reader: ByteReader, file: string, number: number): Promise<Map<string, string> | undefined> {
  const start = await reader.line(MAX_LINE);
  if (start === undefined) return undefined;
  const expected = `the header of record ${number + 1}`;
  if (start === null || !/^WARC\/1\.\d$/.test(start)) throw damaged(file, `WARC/1.0 or WARC/1.1, ${expected}`, 'other bytes');
  const fields = new Map<string, string>();
  let name = '';
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    const line = await reader.line(MAX_LINE);
    if (line === '') return fields;
    if (typeof line !== 'string')
      throw damaged(file, expected, line === undefined ? 'the end of the file' : 'a line that is too long or cut short');
    const [, found, value = ''] = /^([^\s:][^:]*):[ \t]*(.*)$/s.exec(line) ?? [];
    const isFolded = found === undefined && /^[ \t]/.test(line) && name !== '';
    if (found === undefined && !isFolded) throw damaged(file, expected, 'a line without a colon');
    name = found?.trim().toLowerCase() ?? name;
    fields.set(name, isFolded ? `${fields.get(name)} ${line.trim()}` : value.trim());
  }
  throw damaged(file, expected, `more than ${MAX_LINES} lines`);
}

function headerOf(fields: ReadonlyMap<string, string>): RecordHeader {
  return {
    type: fields.get('warc-type') ?? '',
    // wget and some others write angle brackets
    url: (fields.get('warc-target-uri') ?? '').replace(/^<(.*)>$/, '$1'),
    date: fields.get('warc-date') ?? '',
    mediaType: (fields.get('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase(),
    payloadDigest: claimedDigest(fields.get('warc-payload-digest')),
    blockDigest: claimedDigest(fields.get('warc-block-digest')),
  };
}

/** No digest covers a header: a byte that was changed there would otherwise hide a page. */
function checkHeader(file: string, name: string, { type, url, date }: RecordHeader): void {
  if (!TYPES.has(type)) throw damaged(file, `a WARC-Type of ${name}`, type || 'nothing');
  if (url === '' && CAPTURES.has(type)) throw damaged(file, `a WARC-Target-URI of ${name}`, 'nothing');
  if (!DATE.test(date)) throw damaged(file, `a WARC-Date of ${name}`, date || 'nothing');
}

/** A date may have fewer parts since WARC 1.1. */
const DATE = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?)?)?$/;
const CAPTURES = new Set(['response', 'resource', 'request', 'revisit']);
const TYPES = new Set([...CAPTURES, 'warcinfo', 'metadata', 'conversion', 'continuation']);

async function readBlock(
  reader: ByteReader,
  file: string,
  name: string,
  length: number,
  { blockDigest }: RecordHeader,
  isKept: boolean,
): Promise<Buffer | undefined> {
  if (isKept && length > MAX_BLOCK) throw damaged(file, `a page of at most ${MAX_BLOCK} bytes`, `${name} with ${length} bytes`);
  const hash = blockDigest && hashFor(blockDigest);
  const pieces: Buffer[] = [];
  let read = 0;
  for await (const piece of reader.take(length)) {
    hash?.update(piece);
    read += piece.length;
    if (isKept) pieces.push(piece);
  }
  const [first, second] = [await reader.line(2), await reader.line(2)];
  if (read < length || first === undefined)
    throw damaged(file, `${length} bytes of ${name}, and two line breaks`, `the end of the file after ${read} bytes`);
  if (first !== '' || second !== '') throw damaged(file, `two line breaks after ${name}`, 'other bytes');
  if (blockDigest !== undefined && hash !== undefined && !isClaimed(blockDigest, hash.digest())) {
    throw damaged(file, `bytes with the digest ${blockDigest.text} in ${name}`, 'another digest');
  }
  return isKept ? Buffer.concat(pieces) : undefined;
}
