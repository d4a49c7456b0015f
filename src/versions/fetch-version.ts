import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { convertErrors } from '../contract/failure.ts';
import { writeFully } from '../contract/files/file-bytes.ts';
import { forEachLimit } from '../storage/concurrency-limit.ts';
import type { Remote } from '../storage/remote.ts';
import type { Version } from './commit-format.ts';

const RANGE_BYTES = 1 << 23;
const RANGES_AT_A_TIME = 4;
/** How often a version with other bytes is fetched, because the network may have damaged it. */
const ATTEMPTS = 2;

/**
 * Fetches the data of a version into a local file, in ranges. A transient error costs one range.
 * @param onFetched called with the number of bytes so far
 * @returns whether the data has the length and the SHA-256 of the version. If not, it is missing or damaged at the target
 * @throws Failure target-failed, target-denied, stopped, file-system
 */
export async function fetchVersion(
  remote: Remote,
  { file, bytes, sha256 }: Version,
  path: string,
  onFetched: (bytes: number) => void = () => {},
): Promise<boolean> {
  // a system error of a descriptor has no path
  const withPath = (error: unknown) => (error instanceof Error ? Object.assign(error, { path }) : error);
  const ranges = Array.from({ length: Math.ceil(bytes / RANGE_BYTES) }, (_, index) => index * RANGE_BYTES);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const into = await open(path, 'w+');
    let isWhole = true;
    let done = 0;
    try {
      await forEachLimit(ranges, RANGES_AT_A_TIME, async (from) => {
        const to = Math.min(bytes, from + RANGE_BYTES);
        const part = isWhole ? (await remote.get(file, { from, to }))?.bytes : undefined;
        if (part?.length !== to - from) isWhole = false;
        else {
          convertErrors(() => writeFully(into.fd, part, from), withPath);
          done += part.length;
          onFetched(done);
        }
      });
      if (isWhole && (await digestOf(into.fd)) === sha256) return true;
    } finally {
      await into.close();
    }
  }
  return false;
}

/**
 * Returns the SHA-256 of a file in hexadecimal digits.
 * @param fd its descriptor
 */
export async function digestOf(fd: number): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of createReadStream('', { fd, start: 0, autoClose: false, highWaterMark: 1 << 20 })) digest.update(piece);
  return digest.digest('hex');
}
