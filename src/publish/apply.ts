import { hash } from 'node:crypto';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { forEachLimit } from '../storage/pool.ts';
import { toFailure, wrapErrors } from '../storage/retry.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Condition, Fetched, ObjectHeaders, Target } from '../storage/target.ts';
import type { Encoding } from '../tree/encoding.ts';
import { pathOf, slotCount } from '../tree/layout.ts';
import { overlapSlots } from './collection-plan.ts';
import { compressedPage, decompressedPage, encoded, type HeaderChoice, pageHeaders } from './headers.ts';
import { type LocalTree, readPage } from './local-tree.ts';
import { overlapPage } from './overlap-page.ts';
import type { Plan } from './plan.ts';

/** A plan and everything that `apply` needs to carry it out. */
export interface ApplyContext {
  readonly plan: Plan;
  readonly tree: LocalTree;
  /** Sends a request only while the lease is valid. */
  readonly target: Target;
  /** Whether the target supports conditional writes. */
  readonly isConditional: boolean;
  readonly choice: HeaderChoice;
  readonly concurrency: number;
  /** Whether items may move to earlier pages. */
  readonly allowGaps: boolean;
  /** When aborted, no new request begins. */
  readonly signal: AbortSignal;
  /** Called with the bytes of each file that was sent, before compression. */
  readonly onSent: (bytes: number) => void;
  /** Called with the number of files that were deleted so far. */
  readonly onDeleted: (deleted: number) => void;
}

/** The number of completed steps of each kind. */
export interface ApplyResult {
  uploads: number;
  overlaps: number;
  deletes: number;
}

/** How often a page is read again and its overlap page rebuilt if the page changed in between. */
const MAX_ATTEMPTS = 5;

/**
 * Carries out a plan: the feed before the accounts, each in its order. Deletes come after all uploads.
 * After an error or an abort it begins no new request and waits for those in flight.
 * @throws Failure stopped, tree-edited, target-failed, target-denied, target-busy, reader-gaps
 */
export async function apply(work: ApplyContext): Promise<ApplyResult> {
  const { plan, target, signal, concurrency } = work;
  const done: ApplyResult = { uploads: 0, overlaps: 0, deletes: 0 };
  for (const collection of COLLECTIONS) {
    const { order } = plan.collections[collection];
    const final = new Set<number>();
    const send = async (page: number) => {
      for (const { slot } of plan.collections[collection].slotsToSend(page)) {
        if (final.has(slot)) continue;
        await sendPage(work, collection, slot);
        done.uploads += 1;
      }
    };
    await forEachLimit(order.first, concurrency, send);
    await forEachLimit(order.overlaps, concurrency, async (page) => {
      for (const slot of overlapSlots(work.tree.digests[collection], page)) {
        const outcome = await writeOverlap(work, collection, page, slot);
        if (outcome === 'overlap') done.overlaps += 1;
        if (outcome !== 'final') continue;
        final.add(slot);
        done.uploads += 1;
      }
    });
    await forEachLimit(order.runs, concurrency, async (run) => {
      for (const page of run) await send(page);
    });
  }
  const remove = async (path: string) => {
    await wrapErrors(target, path, () => target.remove(path, signal));
    done.deletes += 1;
    work.onDeleted(done.deletes);
  };
  for (const collection of COLLECTIONS) {
    const { outdated, isOutdatedInTurn, gone } = plan.collections[collection];
    await forEachLimit(outdated(), isOutdatedInTurn ? 1 : concurrency, remove);
    await forEachLimit(gone(), concurrency, remove);
  }
  return done;
}

async function sendPage({ tree, target, choice, signal, onSent }: ApplyContext, collection: Collection, slot: number): Promise<void> {
  const { path, variant, headers } = fileOf(tree, choice, collection, slot);
  const file = await readPage(tree, collection, slot);
  const upload = { bytes: encoded(file, headers, variant), headers, digest: hash('sha256', file) };
  await wrapErrors(target, path, () => target.put(path, upload, signal));
  onSent(file.length);
}

function fileOf(
  { digests }: LocalTree,
  choice: HeaderChoice,
  collection: Collection,
  slot: number,
): {
  readonly path: string;
  readonly variant: Encoding | undefined;
  readonly headers: ObjectHeaders;
} {
  const { pages, encodings } = digests[collection];
  const variant = encodings[Math.floor(slot / slotCount(pages)) - 1];
  return { path: pathOf(collection, slot, pages, encodings), variant, headers: pageHeaders(choice, variant) };
}

/**
 * Writes a page that shows its old items after its new ones. The write is conditional on the version that was
 * read. A request that arrives late can then not overwrite the final page.
 */
async function writeOverlap(
  { tree, target, isConditional, choice, allowGaps, signal, onSent }: ApplyContext,
  collection: Collection,
  page: number,
  slot: number,
): Promise<'overlap' | 'final' | 'unchanged'> {
  const { path, variant, headers } = fileOf(tree, choice, collection, slot);
  const newer = await readPage(tree, collection, page);
  for (let tried = 1; ; tried += 1) {
    const older = await wrapErrors(target, path, () => target.get(path, signal));
    const overlapped = older === undefined ? undefined : overlapOver(collection, path, older, newer);
    if (older === undefined || overlapped === undefined) return 'unchanged';
    if (overlapped.movesForward && !allowGaps) throw pulledForward(target, path);
    const isFinal = overlapped.bytes === newer;
    const file = isFinal ? await readPage(tree, collection, slot) : compressedPage(overlapped.bytes, variant);
    const bytes = encoded(file, headers, variant);
    if (older.bytes.equals(bytes)) return 'unchanged';
    const holds = isFinal ? {} : { holds: tree.digests[collection].get(slot) };
    try {
      const condition = isConditional ? { tag: older.tag } : undefined;
      await putOver(target, path, { bytes, headers, digest: hash('sha256', file), ...holds }, signal, condition);
      onSent(file.length);
      return isFinal ? 'final' : 'overlap';
    } catch (error) {
      const isChanged = error instanceof StorageError && error.kind === 'conflict';
      if (!isChanged || tried === MAX_ATTEMPTS) throw error instanceof StorageError ? toFailure(target, path, error) : error;
    }
  }
}

/** Returns the overlap page; undefined if the old file is not a page, since a reader can then miss nothing. */
function overlapOver(collection: Collection, path: string, older: Fetched, newer: Buffer): ReturnType<typeof overlapPage> {
  try {
    return overlapPage(collection, decompressedPage(path, older), newer);
  } catch {
    return undefined;
  }
}

async function putOver(
  target: Target,
  path: string,
  upload: Parameters<Target['put']>[1],
  signal: AbortSignal,
  condition: Condition | undefined,
): Promise<void> {
  try {
    await target.put(path, upload, signal, condition);
  } catch (error) {
    if (!(error instanceof StorageError && error.kind === 'unsupported')) throw error;
    await target.put(path, upload, signal);
  }
}

function pulledForward(target: Target, path: string): Failure {
  return new Failure('reader-gaps', `records at ${target.name} would move to earlier pages`, {
    place: { file: path },
    expected: 'a tree that extends the one at the target',
    found: 'a page whose records are newer than the records of its replacement',
    hint: 'publish with --allow-gaps if readers may miss records that move past them',
  });
}
