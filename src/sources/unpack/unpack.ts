import { createWriteStream, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removeSync } from 'fs-extra/esm';
import { countPacked, DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import { fileHead } from '../../contract/files/file-bytes.ts';
import { isCopy } from '../inputs/compressed-copy.ts';
import { readFailure, unreadableInput } from '../rejects/rejection.ts';
import type { Input, InputError } from '../source.ts';
import { withoutFiles } from './archive-member.ts';
import { decompressed } from './decompression.ts';
import { HEADER_BYTES, headOf, isLikeJson, isTar, isZip, resumed } from './detect-format.ts';

/** Yields the files in a source as `unpack` does. If they cannot be read any further, the last element is an input error. */
export async function* filesIn(input: Input): AsyncGenerator<readonly Input[] | InputError> {
  try {
    yield* unpack(input);
  } catch (error) {
    yield unreadableInput(readFailure(input.name, error));
  }
}

/**
 * Yields the files in a source, in batches. An archive (ZIP, or tar, which may be compressed) is detected by its content. Its
 * files are its members. Any other input is the only file, without its compression. The files of one batch can be read in any
 * order, and each batch must be read before the next one is requested. Memory does not depend on the size of an archive,
 * except for the list of files in a ZIP. The compressed copy of another input has no files.
 * @throws Failure bad-archive, bad-encoding, no-tool, no-source if an archive has no file that is read; and the errors of the
 *   input
 */
async function* unpack(input: Input): AsyncGenerator<readonly Input[]> {
  if (await isCopy(input)) return;
  if (input.pages !== undefined) {
    for await (const page of input.pages()) yield* unpack(page);
    return;
  }
  const expansion = new DecompressionLimit(input.name);
  const whole = { ...input, open: () => countPacked(input.open(), expansion) };
  const bytes = decompressed(whole);
  try {
    const head = await headOf(bytes, 2);
    const start = isLikeJson(head) ? head : await headOf(bytes, HEADER_BYTES, head);
    const rest = resumed(start, bytes);
    let members = 0;
    if (isZip(start)) {
      for await (const batch of zipMembers(input, rest, expansion)) {
        members += batch.length;
        yield batch;
      }
    } else if (isTar(start)) {
      // most runs read no archive, so its code is not loaded with the command
      const { tarMembers } = await import('./tar-members.ts');
      for await (const member of tarMembers(input, rest, expansion)) {
        members += 1;
        yield [member];
      }
    } else if (input.filter?.acceptsFile() ?? true) {
      yield [{ ...input, open: () => rest, expansion }];
      return;
    }
    if (members === 0 && input.filter === undefined) throw withoutFiles(input.name);
  } finally {
    await bytes.return(undefined);
  }
}

/** A ZIP file that does not come from a file of this machine is written to a temporary file first. */
async function* zipMembers(
  input: Input,
  bytes: AsyncIterable<Uint8Array>,
  expansion: DecompressionLimit,
): AsyncGenerator<readonly Input[]> {
  const file = input.path !== undefined && isZip(fileHead(input.path, HEADER_BYTES)) ? input.path : undefined;
  const folder = file === undefined ? mkdtempSync(join(tmpdir(), 'palimpsest-')) : undefined;
  const path = file ?? join(folder ?? '', 'source.zip');
  try {
    if (file === undefined) await pipeline(bytes, createWriteStream(path));
    const { openZip } = await import('./zip-members.ts');
    const { meter, ...copied } = input;
    const { members, close } = await openZip(file === undefined ? { ...copied, expansion } : input, path);
    try {
      yield members;
    } finally {
      close();
    }
  } finally {
    if (folder !== undefined) removeSync(folder);
  }
}
