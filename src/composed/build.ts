import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { type OnProgress, Pauses } from '../contract/pauses.ts';
import type { Site } from '../contract/site.ts';
import { chunkPath } from '../rewrite/chunks.ts';
import type { Generation } from '../rewrite/compose.ts';
import { Store } from '../store/store.ts';
import { toFailure } from '../store/store-error.ts';
import { claimFolder, fileSystemFailure } from '../tree/folder.ts';
import { HEAD } from '../tree/found-layout.ts';
import { lstatOf, refuseFolder } from '../tree/obstacles.ts';
import { VERSION } from '../version.ts';
import type { Trees } from './all-trees.ts';
import { changedTrees } from './changed-trees.ts';
import { ChunkReader, ChunkStage, type Chunks, DamagedChunk } from './chunk-folder.ts';
import { type ComposedHead, encodeHead, highestNumber, readHead } from './head.ts';
import { leavesBelow } from './leaf-list.ts';
import { appended, lastGeneration } from './log.ts';
import { treeOf } from './nodes.ts';
import { removeUnreachable } from './prune.ts';

export interface ComposedBuildOptions {
  /** The tree's folder. */
  readonly out: string;
  readonly site: Site;
  /** The time of a new generation. */
  readonly time: Date;
  /** Whether to hash the existing chunks instead of trusting their names. */
  readonly repair?: boolean | undefined;
  /** Stops the build as long as the tree is unchanged. */
  readonly signal?: AbortSignal | undefined;
  /** Counts the items that are split into leaves. */
  readonly onProgress?: OnProgress<'chunk'> | undefined;
}

export interface ComposedSummary {
  readonly build: ComposedHead;
  /** The numbers of chunks written and removed. */
  readonly written: number;
  readonly removed: number;
  /** How many earlier generations were dropped. */
  readonly droppedGenerations: number;
  /** Why: they may contain an account that has been removed, or the log of generations was damaged; null if none were dropped. */
  readonly dropReason: 'removed-account' | 'damaged-log' | null;
}

/**
 * Builds the composed layout of a store: writes the chunks that do not exist yet, then the head. Readers see the old state
 * or the new one.
 * @throws Failure no-store, bad-store, store-newer, not-ours, other-layout, tree-busy, tree-edited, stopped, file-system
 */
export async function buildComposed(storePath: string, options: ComposedBuildOptions): Promise<ComposedSummary> {
  const { out, site } = options;
  const pauses = new Pauses(options.signal, `the tree in ${out} is unchanged`);
  const store = Store.open(storePath);
  try {
    const folder = claimFolder(out, 'composed');
    try {
      const found = readHead(out);
      const before = options.repair || found === undefined || !hasRoots(out, found) ? undefined : found;
      if (before !== undefined && isCurrent(before, store, site)) return unchanged(before);
      const stage = new ChunkStage({ out, stage: folder.stage, isTrusted: options.repair !== true });
      const chunks = new ChunkReader(out);
      const put = stage.put.bind(stage);
      let trees = treesFrom(before, store, site, chunks, put);
      if (trees === undefined) {
        // most builds need only the changes, and start faster without this code
        const { allTrees } = await import('./all-trees.ts');
        trees = await allTrees(store, site.page_size, stage, pauses, options.onProgress ?? (() => {}));
      }
      const { head, dropped, dropReason } = nextHead(found, store, site, trees, options, chunks, put);
      const staged = join(folder.stage, HEAD);
      writeFileSync(staged, encodeHead(head));
      stage.check();
      refuseFolder(join(out, HEAD), lstatOf(join(out, HEAD)));
      pauses.check();
      const written = stage.staged.length;
      stage.promote();
      renameSync(staged, join(out, HEAD));
      const removed = dropReason === 'removed-account' ? removeUnreachable(out, head) : 0;
      return { build: head, written, removed, droppedGenerations: dropped, dropReason };
    } catch (error) {
      throw fileSystemFailure(out, toFailure(storePath, error));
    } finally {
      folder.release();
    }
  } finally {
    store.close();
  }
}

/** Whether the roots of a head exist: somebody may have deleted the chunks. */
function hasRoots(out: string, { data, account, log }: ComposedHead): boolean {
  return [data, account, log].every(({ root }) => existsSync(join(out, chunkPath(root))));
}

function isCurrent(head: ComposedHead, store: Store, site: Site): boolean {
  return (
    head.palimpsest === VERSION &&
    head.store === store.revision.fingerprint &&
    head.last_exclusion === lastExclusion(store) &&
    head.base_url === site.base_url &&
    head.page_size === site.page_size &&
    head.account_page_size === site.account_page_size
  );
}

function unchanged(head: ComposedHead): ComposedSummary {
  return { build: head, written: 0, removed: 0, droppedGenerations: 0, dropReason: null };
}

/** Returns the trees, based on the trees of the last build; undefined if that is not possible. */
function treesFrom(before: ComposedHead | undefined, store: Store, site: Site, chunks: Chunks, put: ChunkStage['put']): Trees | undefined {
  if (before === undefined || before.palimpsest !== VERSION || before.page_size !== site.page_size) return undefined;
  if (before.store === store.revision.fingerprint) return { data: before.data, account: before.account };
  const since = store.revisionOf(before.store);
  return since === undefined ? undefined : changedTrees(store, since, before, chunks, put);
}

/** Returns the head of the new state, and how many earlier generations it drops. */
function nextHead(
  found: ComposedHead | undefined,
  store: Store,
  site: Site,
  trees: Trees,
  { out, time, repair = false }: ComposedBuildOptions,
  chunks: Chunks,
  put: ChunkStage['put'],
): { readonly head: ComposedHead; readonly dropped: number; readonly dropReason: ComposedSummary['dropReason'] } {
  const exclusion = lastExclusion(store);
  const hasRemoved = (exclusion ?? '') > (found?.last_exclusion ?? '');
  const before = hasRemoved || found === undefined ? undefined : keptLog(found, out, repair, chunks);
  const dropped = before === undefined ? (found?.log.count ?? 0) : 0;
  const dropReason = dropped === 0 ? null : hasRemoved ? 'removed-account' : 'damaged-log';
  const { records, accounts, fingerprint } = store.revision;
  const { data, account } = trees;
  const common = { palimpsest: VERSION, layout: 'composed', ...site } as const;
  const isSameState =
    before !== undefined &&
    found?.data.root === data.root &&
    found.account.root === account.root &&
    found.page_size === site.page_size &&
    found.account_page_size === site.account_page_size;
  const number = isSameState ? found.generation : (found === undefined ? 0 : highestNumber(found)) + 1;
  const generation: Generation = {
    generation: number,
    time: timeAfter(before?.last, time),
    records,
    accounts,
    data: data.root,
    account: account.root,
    page_size: site.page_size,
    account_page_size: site.account_page_size,
  };
  // the nodes of the log are written again, because one of them may be missing
  const log = isSameState ? treeOf(leavesBelow(before.log.node, chunks), put) : appended(before?.log, generation, chunks, put);
  return {
    head: {
      ...common,
      generation: number,
      store: fingerprint,
      last_exclusion: exclusion,
      data,
      account,
      log,
      withdrawn: isSameState ? found.withdrawn : undefined,
    },
    dropped,
    dropReason,
  };
}

interface KeptLog {
  readonly log: ComposedHead['log'];
  readonly last: Generation;
}

/**
 * Returns the log of a head; undefined if it is damaged and the build repairs the tree.
 * @throws Failure tree-edited if it is damaged: a new log would lose the earlier generations
 */
function keptLog(found: ComposedHead, out: string, repair: boolean, chunks: Chunks): KeptLog | undefined {
  try {
    return { log: found.log, last: lastGeneration(found.log, chunks) };
  } catch (error) {
    if (!(error instanceof DamagedChunk)) throw error;
    if (repair) return undefined;
    throw new Failure('tree-edited', `the log of generations in ${out} is damaged`, {
      place: { file: join(out, error.path) },
      expected: 'bytes with the SHA-256 in the name of the file',
      found: error.message,
      hint: 'restore this file from a copy of the tree, or add --repair to begin a new log without the earlier generations',
    });
  }
}

/** Returns the time of a new generation: always later than that of the last one, even if the clock was set back. */
function timeAfter(last: Generation | undefined, time: Date): string {
  const earliest = last === undefined ? 0 : Date.parse(last.time) + 1;
  return new Date(Math.max(time.getTime(), earliest)).toISOString();
}

/** Returns the time of the newest exclusion in a store; null if it has none. */
function lastExclusion(store: Store): string | null {
  const times = store.exclusions().map(({ excluded_at }) => excluded_at);
  return times.length === 0 ? null : (times.sort().at(-1) ?? null);
}
