import { crc32, inflateRawSync } from 'node:zlib';

/** A record as an independent reader finds it. */
export interface FoundRecord {
  /** Names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  readonly block: Buffer;
  /** The position and length of its gzip member in the file. */
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads a WARC with one gzip member for each record, by the text of the standard: it shares no code with the writer or
 * with the reader of the program.
 */
export function readMembers(warc: Buffer): FoundRecord[] {
  const records: FoundRecord[] = [];
  for (let offset = 0; offset < warc.length; ) {
    if (warc.readUInt32BE(offset) >>> 8 !== 0x1f8b08) throw new Error(`no gzip member at ${offset}`);
    if (warc.readUInt8(offset + 3) !== 0) throw new Error(`a gzip header with flags at ${offset}`);
    const { buffer, engine } = inflateWithInfo(warc.subarray(offset + 10));
    const end = offset + 10 + engine.bytesWritten + 8;
    if (warc.readUInt32LE(end - 8) !== crc32(buffer) || warc.readUInt32LE(end - 4) !== buffer.length)
      throw new Error(`a wrong CRC at ${offset}`);
    records.push({ ...parse(buffer), offset, length: end - offset });
    offset = end;
  }
  return records;
}

function inflateWithInfo(bytes: Buffer): { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } {
  const inflated: unknown = inflateRawSync(bytes, { info: true });
  return inflated as ReturnType<typeof inflateWithInfo>;
}

function parse(record: Buffer): Pick<FoundRecord, 'fields' | 'block'> {
  const end = record.indexOf('\r\n\r\n');
  const [version, ...lines] = record.toString('utf8', 0, end).split('\r\n');
  if (version !== 'WARC/1.1') throw new Error(`${version} in place of WARC/1.1`);
  const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const block = record.subarray(end + 4, end + 4 + Number(fields.get('content-length')));
  if (record.toString('latin1', end + 4 + block.length) !== '\r\n\r\n') throw new Error('no two line breaks after the block');
  return { fields, block };
}
