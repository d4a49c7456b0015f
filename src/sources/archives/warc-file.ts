import { createGunzip } from 'node:zlib';
import { codeOf } from '../../contract/failure.ts';
import { DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import { isGzip } from '../../warc/detect-warc.ts';
import { type ReadRecord, type RecordHeader, readRecords } from '../../warc/read-records.ts';
import { salvageRecords } from '../../warc/salvage.ts';
import { damaged, type OnDamage } from '../../warc/warc-damage.ts';
import { piped } from '../unpack/decompression.ts';
import { headOf, resumed } from '../unpack/detect-format.ts';

/** A WARC that can be read several times. */
export interface WarcFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A record, and its position in a WARC that is damaged. */
export type FoundRecord = ReadRecord & { readonly byte?: number };

/**
 * @param onDamage called for each damaged part; without it, damage is an error
 * @throws Failure bad-archive; bad-encoding if the file expands too much
 */
export function recordsOf(
  file: WarcFile,
  isWanted: (header: RecordHeader, number: number) => boolean,
  onDamage: OnDamage | undefined,
): AsyncGenerator<FoundRecord> {
  const { name, size, open } = file;
  if (onDamage !== undefined) return salvageRecords(name, open(), { size, isWanted, onDamage });
  return readRecords(name, plainBytes(file), isWanted);
}

/** Yields the bytes of a WARC, decompressed if they are gzip data, which must reach to the end of the file. */
async function* plainBytes({ name, size, open }: WarcFile): AsyncGenerator<Uint8Array> {
  const chunks = open()[Symbol.asyncIterator]();
  try {
    const head = await headOf(chunks, 2);
    const bytes = resumed(head, chunks);
    if (isGzip(head)) yield* gunzipped(name, size, bytes);
    else yield* bytes;
  } finally {
    await chunks.return?.();
  }
}

async function* gunzipped(file: string, size: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  const expansion = new DecompressionLimit(file);
  expansion.addPacked(size);
  try {
    for await (const chunk of piped(bytes, gunzip)) {
      expansion.addPlain(chunk.length);
      yield chunk;
    }
    // zlib takes bytes after the last member for padding, and ignores them
    if (gunzip.bytesWritten < size) throw damaged(file, 'gzip data to the end', `other bytes from byte ${gunzip.bytesWritten}`);
  } catch (error) {
    const isBroken = error instanceof Error && codeOf(error)?.startsWith('Z_');
    throw isBroken ? damaged(file, 'complete gzip data', error.message) : error;
  }
}
