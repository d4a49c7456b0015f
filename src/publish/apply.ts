import { hash } from 'node:crypto';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { pathOf } from '../tree/layout.ts';
import { bridge } from './bridge.ts';
import { inCrew } from './crew.ts';
import { encoded } from './headers.ts';
import type { Lease } from './lease.ts';
import { type LocalTree, readPage } from './local-tree.ts';
import type { CollectionPlan, Plan } from './plan.ts';
import { worded } from './retry.ts';
import type { ObjectHeaders, Target } from './target.ts';
import { Trouble } from './trouble.ts';

/** What applying a plan needs beside it. */
export interface Work {
  readonly plan: Plan;
  readonly tree: LocalTree;
  readonly target: Target;
  readonly lease: Lease;
  readonly headers: ObjectHeaders;
  readonly concurrency: number;
  /** Whether items may move to earlier pages. */
  readonly allowGaps: boolean;
  /** Says to begin nothing new. */
  readonly signal: AbortSignal;
  /** Called with the bytes of each file that was sent, before compression. */
  readonly onSent: (bytes: number) => void;
}

/** What was done. */
export interface Done {
  uploads: number;
  bridges: number;
  deletes: number;
}

/** How often a page is read and bridged anew, where it changed meanwhile. */
const TRIES = 5;

/**
 * Carries a plan out: the feed before the accounts, each in its order, deletes when everything else is there.
 * Nothing is begun after an error or when it is told to stop; what was under way is awaited.
 * @throws Failure stopped, tree-edited, target-failed, target-denied, target-busy, reader-gaps
 */
export async function apply(work: Work): Promise<Done> {
  const { plan, target, signal, concurrency } = work;
  const done: Done = { uploads: 0, bridges: 0, deletes: 0 };
  const begin = async () => {
    if (signal.aborted) throw stopped(target);
    await work.lease.hold();
  };
  for (const collection of COLLECTIONS) {
    const { order } = plan.collections[collection];
    const final = new Set<number>();
    const send = async (page: number) => {
      for (const { slot } of plan.collections[collection].slotsToSend(page)) {
        if (slot === page && final.has(page)) continue;
        await begin();
        await sendPage(work, collection, slot);
        done.uploads += 1;
      }
    };
    await inCrew(order.first, concurrency, send);
    await inCrew(order.bridges, concurrency, async (page) => {
      await begin();
      const became = await bridgePage(work, collection, page);
      if (became === 'bridge') done.bridges += 1;
      if (became !== 'final') return;
      final.add(page);
      done.uploads += 1;
    });
    await inCrew(order.runs, concurrency, async (run) => {
      for (const page of run) await send(page);
    });
  }
  for (const collection of COLLECTIONS) {
    await inCrew(surplus(plan.collections[collection], work), concurrency, async (path) => {
      await begin();
      await heeding(target, path, () => target.remove(path, signal));
      done.deletes += 1;
    });
  }
  return done;
}

function* surplus({ collection, deletes }: CollectionPlan, { tree }: Work): Generator<string> {
  // no slot of the tree's has such a number: all of them are pages
  for (const page of deletes) yield pathOf(collection, page, Math.max(page, tree.digests[collection].pages));
}

async function sendPage({ tree, target, headers, signal, onSent }: Work, collection: Collection, slot: number): Promise<void> {
  const { pages } = tree.digests[collection];
  const path = pathOf(collection, slot, pages);
  const plain = await readPage(tree, collection, slot);
  const bytes = await encoded(plain, headers);
  await heeding(target, path, () => target.put(path, { bytes, headers, digest: hash('sha256', plain) }, signal));
  onSent(plain.length);
}

/**
 * Puts a page there that shows its old items beside its new ones. Written only over the version that it was
 * made from, so that a request that arrives late cannot undo the page that follows.
 */
async function bridgePage(
  { tree, target, headers, allowGaps, signal, onSent }: Work,
  collection: Collection,
  page: number,
): Promise<'bridge' | 'final' | 'as it was'> {
  const path = pathOf(collection, page, tree.digests[collection].pages);
  const newer = await readPage(tree, collection, page);
  const holds = hash('sha256', newer);
  for (let tried = 1; ; tried += 1) {
    const older = await heeding(target, path, () => target.get(path, signal));
    const bridged = older === undefined ? undefined : bridgeOver(collection, older.bytes, newer);
    if (older === undefined || bridged === undefined) return 'as it was';
    if (bridged.isPulledForward && !allowGaps) throw pulledForward(target, path);
    if (older.bytes.equals(bridged.bytes)) return 'as it was';
    const upload = {
      bytes: await encoded(bridged.bytes, headers),
      headers,
      digest: hash('sha256', bridged.bytes),
      ...(bridged.bytes === newer ? {} : { holds }),
    };
    try {
      await putOver(target, path, upload, signal, older.tag);
      onSent(bridged.bytes.length);
      return bridged.bytes === newer ? 'final' : 'bridge';
    } catch (error) {
      const isChanged = error instanceof Trouble && error.kind === 'conflict';
      if (!isChanged || tried === TRIES) throw error instanceof Trouble ? worded(target, path, error) : error;
    }
  }
}

/** A page that another tool brought may be none: then it has nothing that a reader could miss. */
function bridgeOver(collection: Collection, older: Buffer, newer: Buffer): ReturnType<typeof bridge> {
  try {
    return bridge(collection, older, newer);
  } catch {
    return undefined;
  }
}

async function putOver(
  target: Target,
  path: string,
  upload: Parameters<Target['put']>[1],
  signal: AbortSignal,
  tag: string,
): Promise<void> {
  try {
    await target.put(path, upload, signal, { tag });
  } catch (error) {
    if (!(error instanceof Trouble && error.kind === 'unsupported')) throw error;
    await target.put(path, upload, signal);
  }
}

async function heeding<T>(target: Target, path: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof Trouble ? worded(target, path, error) : error;
  }
}

export function stopped(target: Target): Failure {
  return new Failure('stopped', `publishing to ${target.name} was stopped`, {
    expected: 'to be let finish',
    found: 'a signal to stop; what was under way has been completed',
    hint: 'publish again: it goes on where it was',
  });
}

function pulledForward(target: Target, path: string): Failure {
  return new Failure('reader-gaps', `at ${target.name} records would move to earlier pages`, {
    place: { file: path },
    expected: 'a tree that the one at the target grew into',
    found: 'a page whose records are newer than those that are to stand there',
    hint: 'publish with --allow-gaps if readers may miss records that move past them',
  });
}
