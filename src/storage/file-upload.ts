import { read } from 'node:fs';
import { promisify } from 'node:util';
import { forEachLimit } from './concurrency-limit.ts';
import type { Remote } from './remote.ts';
import type { Upload } from './target.ts';

/** Larger files are sent in parts. One request costs less than many, and this much fits into memory. */
export const WHOLE_BYTES: number = 3 << 24;
/** The least bytes of a part. */
const PART_BYTES = 1 << 23;
/** S3 accepts at most 10,000 parts. */
const MAX_PARTS = 9_000;
/** How many parts are in memory at a time. */
const PARTS_AT_A_TIME = 4;
/** Reading does not block the event loop, so requests in flight continue. */
const readAsync = promisify(read);

export interface LocalFile {
  readonly descriptor: number;
  /** In bytes. */
  readonly size: number;
}

/**
 * Uploads a local file as one object, which appears when it is complete. A large file is sent in parts. A killed process leaves its
 * parts at the target, where they are not an object.
 * @param onSent called with the number of bytes that were sent
 * @throws Failure target-failed, target-denied, stopped
 */
export async function uploadFile(
  remote: Remote,
  path: string,
  { descriptor, size }: LocalFile,
  upload: Omit<Upload, 'bytes'>,
  onSent: (bytes: number) => void = () => {},
): Promise<void> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  // a folder writes through to the disk only in parts
  if (size <= WHOLE_BYTES && remote.keepsHeaders) {
    await remote.put(path, { ...upload, bytes: await bytesAt(descriptor, 0, size) });
    onSent(size);
    return;
  }
  const parts = await remote.beginParts(path, upload);
  try {
    const tags: string[] = Array(Math.ceil(size / partBytes)).fill('');
    await forEachLimit(tags.keys(), PARTS_AT_A_TIME, async (index) => {
      const offset = index * partBytes;
      const bytes = await bytesAt(descriptor, offset, Math.min(partBytes, size - offset));
      tags[index] = await parts.put({ number: index + 1, offset }, bytes);
      onSent(bytes.length);
    });
    await parts.complete(tags);
  } catch (error) {
    // the first error matters more
    await parts.abort().catch(() => {});
    throw error;
  }
}

async function bytesAt(descriptor: number, position: number, length: number): Promise<Buffer> {
  const into = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await readAsync(descriptor, into, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('the file is shorter than the data written to it');
    done += bytesRead;
  }
  return into;
}
