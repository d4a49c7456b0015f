import type { Chunk } from '../../composed/chunk.ts';
import { type ComposedHead, highestNumber, type KnownTree } from '../../composed/head.ts';
import { logOf } from '../../composed/log.ts';
import { Failure } from '../../contract/failure.ts';
import { parseNode } from '../../rewrite/chunks.ts';
import type { Generation } from '../../rewrite/compose.ts';
import { openRemote, type RemoteOptions } from '../../storage/remote.ts';
import type { RequestCounter } from '../../storage/request-counter.ts';
import type { Target } from '../../storage/target.ts';
import { ClaimedState, readComposedState } from './composed-state.ts';
import { readLog } from './generations.ts';
import { readHeadAt, writeHead } from './head-object.ts';
import { lockTarget } from './lock-target.ts';
import { readAt } from './read-chunk.ts';
import { readPlanned, sendChunks } from './send.ts';
import type { ReadChecked } from './tree-difference.ts';
import { formerStates, statesBeyond } from './unlisted.ts';

export interface RollbackOptions extends RemoteOptions {
  /** The generation to go back to; undefined for the one before the current one. */
  readonly generation: number | undefined;
  /** The Cache-Control header of the head. */
  readonly cacheControl: string;
  /** Whether no other run can publish to the target at the same time. */
  readonly isSinglePublisher: boolean;
  /** Whether to plan only, without any write. */
  readonly dryRun: boolean;
}

export interface RollbackSummary {
  readonly head: ComposedHead;
  /** The generation at the target before. */
  readonly before: number;
  /** The time at which the generation was built. */
  readonly time: string;
  readonly traffic: RequestCounter;
  readonly isConditional: boolean;
  /** The path patterns to invalidate in a CDN. */
  readonly invalidate: readonly string[];
}

/**
 * Writes the head of an earlier generation at a target. Needs no local tree. No chunk is deleted, so a later publish sends
 * only a few files.
 * @throws Failure no-generation, target-failed, target-denied, target-busy, target-edited, no-conditional-writes, stopped,
 *   file-system
 */
export async function rollback(target: Target, options: RollbackOptions): Promise<RollbackSummary> {
  const remote = openRemote(target, { ...options, kept: `readers of ${target.name} see the same state as before` });
  const lock = options.dryRun ? undefined : lockTarget(target);
  try {
    const found = await readHeadAt(remote);
    if (found === undefined) {
      const hint = 'check the target: only a target with the composed layout has generations; nothing was changed';
      throw noGeneration(target, 'a target with the composed layout', 'no head.json', hint);
    }
    const state = await readComposedState(remote);
    const read = readAt(remote);
    const generations = await readLog(found.head.log, read);
    const wanted = chosen(target, generations, options.generation);
    const chunks: Chunk[] = [];
    const kept = generations.filter(({ generation }) => generation <= wanted.generation);
    const head = await headOf(
      wanted,
      found.head,
      logOf(kept, (chunk) => chunks.push(chunk)),
      read,
    );
    const summary = { head, before: found.head.generation, time: wanted.time, traffic: remote.traffic };
    if (options.dryRun || head.generation === found.head.generation) return { ...summary, isConditional: true, invalidate: [] };
    const withdrawn = formerStates(statesBeyond(generations, kept), Date.now());
    const noted = [...statesBeyond(state?.states ?? [], generations), ...withdrawn];
    const next = { deletes: [], since: 0, ...state, states: noted };
    const { isConditional } = await ClaimedState.claim(remote, state, next, options);
    const { concurrency, cacheControl } = options;
    await sendChunks(chunks, { remote, concurrency, repair: false, read: readPlanned(chunks, read), onSent: () => {} });
    await writeHead(remote, head, found, { cacheControl, isConditional, earlier: found.head.published ?? [] });
    const { pathname } = new URL(`${head.base_url}/`);
    return { ...summary, isConditional, invalidate: ['head.json', 'rest/*'].map((path) => pathname + path) };
  } finally {
    lock?.release();
  }
}

function chosen(target: Target, generations: readonly Generation[], wanted: number | undefined): Generation {
  const found = wanted === undefined ? generations.at(-2) : generations.find(({ generation }) => generation === wanted);
  if (found !== undefined) return found;
  const [first, last] = [generations[0]?.generation ?? 0, generations.at(-1)?.generation ?? 0];
  throw noGeneration(
    target,
    wanted === undefined ? 'at least two generations' : `a generation from ${first} to ${last}`,
    wanted === undefined ? `only generation ${last}` : `generation ${wanted}`,
  );
}

async function headOf(
  { generation, page_size, account_page_size, data, account, records, accounts }: Generation,
  found: ComposedHead,
  log: KnownTree,
  read: ReadChecked,
): Promise<ComposedHead> {
  const [dataNode, accountNode] = await Promise.all([read(data), read(account)]);
  return {
    ...found,
    // unknown: the log does not have the fingerprints of stores
    store: '',
    generation,
    page_size,
    account_page_size,
    data: { count: records, root: data, node: parseNode(dataNode) },
    account: { count: accounts, root: account, node: parseNode(accountNode) },
    log,
    withdrawn:
      highestNumber(found) > found.generation
        ? found.withdrawn
        : [...(found.withdrawn ?? []), { generation: found.generation, log: found.log.root }],
  };
}

function noGeneration(
  target: Target,
  expected: string,
  found: string,
  hint = 'choose a generation with --rollback NUMBER; --plan shows the choice and changes nothing',
): Failure {
  return new Failure('no-generation', `${target.name} does not have this generation`, {
    expected,
    found,
    hint,
  });
}
