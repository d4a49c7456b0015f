import { createHash, hash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { type OnProgress, stopped } from '../contract/pauses.ts';
import { plural } from '../contract/plural.ts';
import { forEachLimit } from '../storage/pool.ts';
import { openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import type { RequestCounter } from '../storage/request-counter.ts';
import type { Target } from '../storage/target.ts';
import { StoreImage } from '../store/image.ts';
import { VERSION } from '../version.ts';
import { BLOCK_BYTES, type Block, encodeBlocks, listPath, ownBlocks, planBlocks } from './block-list.ts';
import { beginPush, commitPush, type Version } from './catalog.ts';
import { CatalogObject, privateUpload } from './catalog-object.ts';
import { refusePublicPlace } from './site.ts';
import { deleteBlocks, deleteGarbage, readBlocks } from './version-blocks.ts';

/** Quality 4 of 11 compresses a store of change records to 17 %, at 80 MB/s. A window no larger than a block saves memory. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: Math.log2(BLOCK_BYTES) } };
/** The most attempts to send a block that reads back with other bytes. */
const SENDS = 3;

/**
 * The phases of a push. `read` counts bytes of the store, and `send` bytes of changed blocks before compression. `check` is one
 * step of SQLite. `delete` removes the blocks of old versions.
 */
export type PushPhase = 'read' | 'check' | 'send' | 'delete';

export interface PushOptions extends RemoteOptions {
  /** The path of the store. */
  readonly store: string;
  /** The parents of the target, which must not be a site either. */
  readonly around: readonly Target[];
  /** How many versions the target keeps. */
  readonly keep: number;
  /** Whether to push a store even if it does not descend from the newest version. */
  readonly replace: boolean;
  readonly onProgress?: OnProgress<PushPhase> | undefined;
}

export interface PushSummary {
  /** The newest version at the target after the push. */
  readonly version: Version;
  /** Whether the target already had this version. */
  readonly unchanged: boolean;
  readonly blocks: { readonly all: number; readonly sent: number };
  /** How many versions the target keeps. */
  readonly kept: number;
  readonly traffic: RequestCounter;
  /** Whether the target supports conditional writes, which exclude a concurrent push for certain. */
  readonly isConditional: boolean;
}

/**
 * Sends a store to a target as its newest version. It sends only the blocks that differ from the previous version at the
 * same position. Each is read back and compared before the catalog lists the version. A push that ends early leaves
 * all versions unchanged.
 * @throws Failure store-diverged, not-ours, no-store, bad-store, store-newer, store-busy, target-busy, target-failed, target-denied, stopped
 */
export async function push(target: Target, options: PushOptions): Promise<PushSummary> {
  const kept = `the versions at ${target.name} are unchanged`;
  const remote = openRemote(target, { ...options, kept });
  const { concurrency, onProgress = () => {} } = options;
  const image = await StoreImage.open(options.store);
  try {
    const object = new CatalogObject(remote);
    const catalog = await object.read();
    if (catalog === undefined) {
      await refusePublicPlace(
        remote,
        options.around.map((place) => openRemote(place, { ...options, kept })),
        target.names?.() ?? [],
      );
    }
    const newest = catalog?.versions.at(-1);
    if (newest !== undefined && !options.replace && !image.descendsFrom(newest)) throw diverged(remote, image, newest);

    const { digests, sha256 } = await digestsOf(image, remote, options);
    const all = digests.length;
    if (newest !== undefined && newest.sha256 === sha256) {
      const kept = catalog?.versions.length ?? 0;
      return { version: newest, unchanged: true, blocks: { all, sent: 0 }, kept, traffic: remote.traffic, isConditional: true };
    }
    onProgress('check', 0, 0);
    // a pause, so that the phase is shown before SQLite blocks
    await setImmediate();
    image.check();
    const before = newest?.block_bytes === BLOCK_BYTES ? await readBlocks(remote, newest.id) : undefined;
    const number = (newest?.number ?? 0) + 1;
    const id = `${number}-${randomBytes(6).toString('hex')}`;
    const { blocks, changed } = planBlocks(id, digests, before ?? []);

    const deleted = await deleteGarbage(remote, catalog?.garbage ?? [], concurrency);
    await object.update((now) => beginPush(now, id, newest?.id, deleted), false);
    try {
      await send(remote, listPath(id), encodeBlocks(blocks));
      await sendBlocks(remote, image, blocks, changed, options);
      const { bytes, schema, state } = image;
      const pushed_at = new Date().toISOString().replace(/\.\d+/, '');
      const version: Version = { number, id, pushed_at, palimpsest: VERSION, schema, ...state, bytes, sha256, block_bytes: BLOCK_BYTES };
      const after = await object.update((now) => commitPush(now, version, newest?.id, options.keep), true);
      const { isConditional } = object;
      onProgress('delete', 0, 0);
      // without conditional writes, a push that seems abandoned may still end
      await deleteGarbage(remote, isConditional ? after.garbage : after.garbage.filter(({ next }) => next !== null), concurrency);
      return {
        version,
        unchanged: false,
        blocks: { all, sent: changed.length },
        kept: after.versions.length,
        traffic: remote.traffic,
        isConditional,
      };
    } catch (error) {
      // the push that ended first may have searched for these blocks before they existed
      if (error instanceof Failure && error.code === 'target-busy') {
        await deleteBlocks(remote, id, ownBlocks(id, blocks), concurrency).catch(() => {});
      }
      throw error;
    }
  } finally {
    image.close();
  }
}

/** Returns the digests of a store's blocks and of the whole store. */
async function digestsOf(
  image: StoreImage,
  remote: Remote,
  { signal, onProgress }: PushOptions,
): Promise<{ readonly digests: readonly string[]; readonly sha256: string }> {
  const whole = createHash('sha256');
  const digests: string[] = [];
  const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  for (let position = 0; position < image.bytes; position += BLOCK_BYTES) {
    const block = buffer.subarray(0, image.read(position, buffer));
    whole.update(block);
    digests.push(hash('sha256', block));
    onProgress?.('read', position + block.length, image.bytes);
    await setImmediate();
    if (signal.aborted) throw stopped(remote.policy.kept);
  }
  return { digests, sha256: whole.digest('hex') };
}

async function sendBlocks(
  remote: Remote,
  image: StoreImage,
  blocks: readonly Block[],
  changed: readonly number[],
  { concurrency, onProgress }: PushOptions,
): Promise<void> {
  let sent = 0;
  // compresses one block at a time: one compressor per request in flight would need 70 MB more
  const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  await forEachLimit(changed, concurrency, async (index) => {
    const block = blocks[index];
    if (block === undefined) return;
    const bytes = buffer.subarray(0, image.read(index * BLOCK_BYTES, buffer));
    if (hash('sha256', bytes) !== block.digest) throw rewritten(image.path);
    await send(remote, block.path, brotliCompressSync(bytes, COMPRESSION));
    sent += bytes.length;
    onProgress?.('send', sent, Math.max(sent, changed.length * BLOCK_BYTES));
  });
}

/** Writes an object, reads it back and compares all its bytes. */
async function send(remote: Remote, path: string, bytes: Buffer): Promise<void> {
  for (let sends = 1; sends <= SENDS; sends += 1) {
    await remote.put(path, privateUpload(bytes, 'application/octet-stream'));
    const fetched = await remote.get(path);
    if (fetched?.bytes.equals(bytes)) return;
  }
  throw new Failure('target-failed', `${remote.name} does not return the bytes that were written`, {
    place: { file: path },
    expected: `the ${plural(bytes.length, 'byte')} that were sent`,
    found: `other bytes, or no object, ${SENDS} times`,
    hint: 'check the target; its newest version is unchanged',
  });
}

function diverged(remote: Remote, { path, state }: StoreImage, newest: Version): Failure {
  const isSame = state.fingerprint === newest.fingerprint;
  return new Failure('store-diverged', `${path} was not made from the newest version at ${remote.name}`, {
    place: { file: path },
    expected: `a store that was made from version ${newest.number}, which has ${plural(newest.records, 'record')}`,
    found:
      state.revision === newest.revision && isSame
        ? 'the same revision, with accounts last observed at earlier times'
        : isSame
          ? 'a store with the same records and accounts and another origin'
          : `a store with ${plural(state.records, 'record')} and another origin`,
    hint: hint`run ${suggested('store pull', { '--store': 'other.db' })}, then import or observe your sources into other.db and push that; or push with --replace: the target keeps the other version too; nothing was changed`,
  });
}

function rewritten(path: string): Failure {
  return new Failure('bad-store', `${path} was changed by something other than SQLite while it was read`, {
    place: { file: path },
    expected: 'a store that only palimpsest and SQLite write',
    found: 'bytes that changed during the push',
    hint: 'find out which program writes that file, then push again',
  });
}
