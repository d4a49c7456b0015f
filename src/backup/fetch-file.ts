import { createHash, hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { type OnProgress, stopped } from '../contract/pauses.ts';
import { forEachLimit } from '../storage/pool.ts';
import type { Remote } from '../storage/remote.ts';
import type { StoreImage } from '../store/image.ts';
import type { Block } from './block-list.ts';
import type { Version } from './catalog.ts';

const decompress = promisify(brotliDecompress);

/** The phases of a fetch. They count bytes: of the local store, of the new file, and of the new file again. */
export type FetchPhase = 'compare' | 'fetch' | 'check';

interface FetchOptions {
  /** The path of the file to write. */
  readonly path: string;
  readonly here: StoreImage | undefined;
  /** The indexes of the blocks that `here` has at the same position. */
  readonly same: ReadonlySet<number>;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress<FetchPhase>;
}

/** Returns the indexes of the blocks that the local store already has at the same position. They need not be fetched. */
export async function blocksHere(
  remote: Remote,
  here: StoreImage | undefined,
  version: Version,
  blocks: readonly Block[],
  signal: AbortSignal,
  onProgress: OnProgress<FetchPhase>,
): Promise<ReadonlySet<number>> {
  const same = new Set<number>();
  if (here === undefined) return same;
  for (const [index, { digest }] of blocks.entries()) {
    const { position, length } = placeOf(version, index);
    if (position + length > here.bytes) break;
    if (hash('sha256', bytesHere(here, position, length)) === digest) same.add(index);
    onProgress('compare', position + length, Math.min(here.bytes, version.bytes));
    await setImmediate();
    if (signal.aborted) throw stopped(remote.policy.kept);
  }
  return same;
}

/**
 * Assembles the file of a version and verifies each block and the whole file.
 * @throws Failure bad-store if the target has other bytes than were pushed, stopped
 */
export async function fetchFile(remote: Remote, version: Version, blocks: readonly Block[], options: FetchOptions): Promise<void> {
  const { path, here, same, concurrency, signal, onProgress } = options;
  const file = await open(path, 'w+');
  try {
    let done = 0;
    await forEachLimit(blocks.entries(), concurrency, async ([index, block]) => {
      if (signal.aborted) throw stopped(remote.policy.kept);
      const { position, length } = placeOf(version, index);
      const isHere = here !== undefined && same.has(index);
      const bytes = isHere ? bytesHere(here, position, length) : await fetchBlock(remote, version, block);
      if (bytes.length !== length) throw damaged(remote, version, `a block of ${bytes.length} bytes in place of ${length}`, block);
      await writeAll(file, bytes, position);
      done += length;
      onProgress('fetch', done, version.bytes);
    });
    await file.sync();
    const sha256 = await digestOf(file, version, remote, options);
    if (sha256 !== version.sha256) throw damaged(remote, version, `bytes with the SHA-256 ${sha256}`);
  } finally {
    await file.close();
  }
}

function placeOf({ block_bytes, bytes }: Version, index: number): { readonly position: number; readonly length: number } {
  const position = index * block_bytes;
  return { position, length: Math.min(block_bytes, bytes - position) };
}

function bytesHere(here: StoreImage, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  here.read(position, bytes);
  return bytes;
}

async function fetchBlock(remote: Remote, version: Version, block: Block): Promise<Buffer> {
  const object = await remote.get(block.path);
  if (object === undefined) throw damaged(remote, version, 'a missing block', block);
  const bytes = await decompress(object.bytes, { maxOutputLength: version.block_bytes }).catch(() => {
    throw damaged(remote, version, 'a block that cannot be decompressed', block);
  });
  if (hash('sha256', bytes) !== block.digest) throw damaged(remote, version, 'a block with other bytes', block);
  return bytes;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

async function digestOf(
  file: FileHandle,
  { block_bytes, bytes }: Version,
  remote: Remote,
  { signal, onProgress }: FetchOptions,
): Promise<string> {
  const sha256 = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(block_bytes);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return sha256.digest('hex');
    sha256.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
    onProgress('check', position, bytes);
    if (signal.aborted) throw stopped(remote.policy.kept);
  }
}

/** The Failure for a version whose bytes at the target differ from those that were pushed. */
export function damaged(remote: Pick<Remote, 'name'>, { number }: Version, found: string, block?: Block): Failure {
  return new Failure('bad-store', `version ${number} at ${remote.name} is damaged`, {
    ...(block === undefined ? {} : { place: { file: block.path } }),
    expected: 'the bytes that were pushed',
    found,
    hint: hint`pull an earlier version with --from-version (run ${suggested('store list')} to see the versions); the local store is unchanged`,
  });
}
