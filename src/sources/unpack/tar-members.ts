import { createTarDecoder } from 'modern-tar';
import type { DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import type { Input } from '../source.ts';
import { brokenArchive, isRead, memberInput, plainPath } from './archive-member.ts';
import { withError } from './decompression.ts';

/**
 * Yields the files in a tar archive, in its order. Each must be read before the next one is requested; what was not read is
 * skipped. Links and special files are skipped.
 * @throws Failure bad-archive if the archive is damaged or cut short; and the errors of the bytes. An error that a member has
 *   thrown ends the members without another error.
 */
export async function* tarMembers(archive: Input, bytes: AsyncIterable<Uint8Array>, expansion: DecompressionLimit): AsyncGenerator<Input> {
  let isReported = false;
  let sourceError: unknown;
  const source = withError(bytes, (error) => {
    sourceError = error;
  });
  /** @param member the path of the member in which the error occurred */
  const toFailure = (error: unknown, member?: string): unknown => {
    if (error === sourceError || !(error instanceof Error)) return error;
    const isCut = error.message === 'Tar archive is truncated.';
    const found = isCut ? 'the end of the file before the end of the archive' : error.message;
    return brokenArchive(archive.name, 'tar archive', member === undefined ? found : `${found}, inside ${member}`);
  };
  async function* bodyOf(path: string, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of body) yield piece;
    } catch (error) {
      isReported = true;
      throw toFailure(error, path);
    }
  }
  const entries = ReadableStream.from(source).pipeThrough(createTarDecoder({ strict: true }));
  try {
    for await (const { header, body } of entries) {
      const path = plainPath(header.name);
      if (header.type === 'file' && isRead(archive, path)) yield memberInput(archive, { path, open: () => bodyOf(path, body) }, expansion);
      // a member that was read is locked or closed already
      if (!body.locked) await body.cancel();
    }
  } catch (error) {
    if (!isReported) throw toFailure(error);
  }
}
