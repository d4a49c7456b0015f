import { COLLECTIONS } from '../../contract/collection.ts';
import { forEachLimit } from '../../storage/pool.ts';
import { slotsOfNext } from '../../tree/layout.ts';
import type { Plan } from '../planning/plan.ts';
import { uploadBrowse } from './browse-upload.ts';
import { type OverlapTransfer, uploadOverlap } from './overlap-upload.ts';
import { uploadPage } from './page-upload.ts';

/** The number of completed steps of each kind. */
export interface ApplyResult {
  uploads: number;
  overlaps: number;
  deletes: number;
}

/**
 * Carries out a plan: the feed before the accounts, each in its order, then the browse files. Deletes come after all uploads.
 * After an error or an abort it begins no new request and waits for those in flight.
 * @param concurrency the most requests in flight at a time
 * @throws Failure stopped, tree-edited, target-failed, target-denied, target-busy, reader-gaps
 */
export async function apply(plan: Plan, transfer: OverlapTransfer, concurrency: number): Promise<ApplyResult> {
  const { tree, remote } = transfer;
  const done: ApplyResult = { uploads: 0, overlaps: 0, deletes: 0 };
  for (const collection of COLLECTIONS) {
    const { order, slotsToSend } = plan.collections[collection];
    const final = new Set<number>();
    const send = async (page: number) => {
      for (const { slot } of slotsToSend(page)) {
        if (final.has(slot)) continue;
        await uploadPage(transfer, collection, slot);
        done.uploads += 1;
      }
    };
    await forEachLimit(order.first, concurrency, send);
    await forEachLimit(order.overlaps, concurrency, async (page) => {
      for (const slot of slotsOfNext(page, tree.digests[collection])) {
        const outcome = await uploadOverlap(transfer, collection, page, slot);
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
  await uploadBrowse(transfer, plan.browse, concurrency, () => {
    done.uploads += 1;
  });
  const remove = async (path: string) => {
    await remote.remove(path);
    done.deletes += 1;
    transfer.onDeleted?.(done.deletes);
  };
  for (const collection of COLLECTIONS) {
    const { outdated, isOutdatedInTurn, gone } = plan.collections[collection];
    await forEachLimit(outdated(), isOutdatedInTurn ? 1 : concurrency, remove);
    await forEachLimit(gone(), concurrency, remove);
  }
  await forEachLimit(plan.browse.gone(), concurrency, remove);
  return done;
}
