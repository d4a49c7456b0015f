import { type ComposedHead, highestNumber, type KnownTree } from '../../composed/head.ts';
import { logOf } from '../../composed/log.ts';
import { Failure } from '../../contract/failure.ts';
import { encodeJson } from '../../contract/json.ts';
import { itemsBelow, type Node, parseNode } from '../../rewrite/chunks.ts';
import type { Generation } from '../../rewrite/compose.ts';
import { isEdited } from './read-chunk.ts';
import type { ReadChecked } from './tree-difference.ts';

/** Returns all entries of a log, the oldest first. */
export async function readLog(log: KnownTree, read: ReadChecked): Promise<readonly Generation[]> {
  return await entriesBelow(log.node, log.count, read);
}

async function entriesBelow(node: Node, count: number, read: ReadChecked): Promise<readonly Generation[]> {
  const parts = await itemsBelow(node, 0, count, read);
  return parts.flatMap((part): readonly Generation[] => JSON.parse(`[${Buffer.from(part).toString()}]`));
}

/** The generations to publish, and those at the target. */
interface Generations {
  readonly generations: readonly Generation[];
  readonly before: readonly Generation[];
  /** Whether the first ones continue those at the target. */
  readonly isSuccessor: boolean;
  /** How many of those at the target are unknown, because the log is damaged. */
  readonly unknown: number;
}

/**
 * Reads the log of a tree. Reads the log at the target only if the tree does not have all its generations.
 * @param append whether a tree that was built in a new folder becomes the next generation of the target
 */
export async function generationsToPublish(
  head: ComposedHead,
  found: ComposedHead | undefined,
  append: boolean,
  read: ReadChecked,
): Promise<Generations> {
  const own = await readLog(head.log, read);
  if (found === undefined) return { generations: own, before: [], isSuccessor: true, unknown: 0 };
  if (hasRemoved(head, found)) {
    const before = await intactEntries(found, read);
    return { generations: afterAll(own, found, before), before, isSuccessor: false, unknown: found.log.count - before.length };
  }
  const same = own.filter(({ generation }) => generation <= found.generation).slice(-found.log.count);
  const isSound = !(await reusesNumbers(own, found, read));
  // the root of a log identifies all its entries
  if (isSound && same.length === found.log.count && logOf(same, () => {}).root === found.log.root) {
    return { generations: own, before: same, isSuccessor: true, unknown: 0 };
  }
  const before = await readLog(found.log, read);
  const joined = (isSound ? joinedLogs(own, before) : undefined) ?? appendedLog(own, before, append, lastOf(found, before));
  if (joined !== undefined && (!hasRemoved(found, head) || hasCommon(own, before))) {
    return { generations: joined, before, isSuccessor: true, unknown: 0 };
  }
  return { generations: afterAll(own, found, before), before, isSuccessor: false, unknown: 0 };
}

/** Returns the generations of a tree, with higher numbers than all of the target: the links of a reader must not lead to another state. */
function afterAll(own: readonly Generation[], found: ComposedHead, before: readonly Generation[]): readonly Generation[] {
  const last = lastOf(found, before);
  return (own[0]?.generation ?? 0) > last.generation ? own : renumbered(own, last);
}

/** Returns the entries of a log that can be read. The present state is known from the head. */
async function intactEntries({ log, ...head }: ComposedHead, read: ReadChecked): Promise<readonly Generation[]> {
  const parts = log.node.children.map(async (child) => {
    try {
      return await entriesBelow({ level: log.node.level, children: [child] }, child[1], read);
    } catch (error) {
      if (isEdited(error)) return [];
      throw error;
    }
  });
  const entries = (await Promise.all(parts)).flat();
  if (entries.at(-1)?.generation === head.generation) return entries;
  const { generation, page_size, account_page_size, data, account } = head;
  const time = new Date(Number(log.node.children.at(-1)?.[3])).toISOString();
  const counts = { records: data.count, accounts: account.count, page_size, account_page_size };
  return [...entries, { generation, time, ...counts, data: data.root, account: account.root }];
}

/** Whether a tree gives the number of a state that a rollback withdrew to another state. */
async function reusesNumbers(own: readonly Generation[], found: ComposedHead, read: ReadChecked): Promise<boolean> {
  const highest = highestNumber(found);
  const later = own.filter(({ generation }) => generation > found.generation && generation <= highest);
  const last = found.withdrawn?.at(-1);
  if (later.length === 0 || last === undefined) return false;
  const withdrawn = new Set((await readLogAt(last.log, read)).map(encodeJson));
  return later.some((generation) => !withdrawn.has(encodeJson(generation)));
}

async function readLogAt(root: string, read: ReadChecked): Promise<readonly Generation[]> {
  const node = parseNode(await read(root));
  return await readLog({ root, node, count: node.children.reduce((sum, child) => sum + child[1], 0) }, read);
}

/**
 * Returns the generations of a target and those that a tree with another log adds. Its generations after the present state
 * of the target follow. If it does not have this state, only its last generation follows, because the others may be older.
 * @returns undefined if that is not allowed, or if both logs have generations in common: then the tree is an old copy, or
 *   two runs published different trees
 */
function appendedLog(
  own: readonly Generation[],
  before: readonly Generation[],
  append: boolean,
  last: Last,
): readonly Generation[] | undefined {
  if (hasCommon(own, before)) return undefined;
  const present = own.findLastIndex((generation) => isSameState(generation, before.at(-1)));
  if (present === -1 && !append) return undefined;
  return [...before, ...renumbered(present === -1 ? own.slice(-1) : own.slice(present + 1), last)];
}

function hasCommon(own: readonly Generation[], before: readonly Generation[]): boolean {
  const known = new Set(before.map(encodeJson));
  return own.some((generation) => known.has(encodeJson(generation)));
}

/** The highest number of a target, and the time of its present state. */
type Last = Pick<Generation, 'generation' | 'time'>;

function lastOf(found: ComposedHead, before: readonly Generation[]): Last {
  return { generation: highestNumber(found), time: before.at(-1)?.time ?? '' };
}

/** Returns generations with the next numbers and with later times. */
function renumbered(generations: readonly Generation[], last: Last): readonly Generation[] {
  let [number, time] = [last.generation, Date.parse(last.time)];
  return generations.map((generation) => {
    number += 1;
    time = Math.max(Date.parse(generation.time), time + 1);
    return { ...generation, generation: number, time: new Date(time).toISOString() };
  });
}

function isSameState(one: Generation, other: Generation | undefined): boolean {
  return (
    one.data === other?.data &&
    one.account === other.account &&
    one.page_size === other.page_size &&
    one.account_page_size === other.account_page_size
  );
}

/** Returns the older generations of the target and those of the tree; undefined if the latter do not continue the former. */
function joinedLogs(own: readonly Generation[], before: readonly Generation[]): readonly Generation[] | undefined {
  const first = own[0]?.generation ?? 0;
  const [older, shared] = [before.filter(({ generation }) => generation < first), before.filter(({ generation }) => generation >= first)];
  const isContinued = shared.length > 0 ? shared.length <= own.length : older.at(-1)?.generation === first - 1;
  const isSame = shared.every((generation, index) => encodeJson(generation) === encodeJson(own[index]));
  const isLater = shared.length > 0 || Date.parse(older.at(-1)?.time ?? '') < Date.parse(own[0]?.time ?? '');
  return isContinued && isSame && isLater ? [...older, ...own] : undefined;
}

/** Whether one head has a later removal than another one: earlier generations may contain the removed account. */
export function hasRemoved(one: ComposedHead, other: ComposedHead): boolean {
  return (one.last_exclusion ?? '') > (other.last_exclusion ?? '');
}

/** Returns the reason not to replace the generations of a target: generations-lost; undefined if there is none. */
export function lostGenerations(
  target: string,
  head: ComposedHead,
  found: ComposedHead | undefined,
  isSuccessor: boolean,
): Failure | undefined {
  if (found === undefined || isSuccessor || hasRemoved(head, found)) return undefined;
  if (hasRemoved(found, head)) {
    return new Failure('generations-lost', `the tree may contain an account that was removed from ${target}`, {
      expected: `a tree of a store with all removals up to ${found.last_exclusion}`,
      found:
        head.last_exclusion === null
          ? 'a tree of a store without removals'
          : `a tree of a store with removals up to ${head.last_exclusion}`,
      hint: 'build from the newest store and publish again; if the removal was ended with palimpsest exclusions --allow, add --drop-generations',
    });
  }
  return new Failure('generations-lost', `the tree does not have the generations of ${target}: readers would lose these states`, {
    expected: `a tree that continues generation ${found.generation}`,
    found: `generation ${head.generation} of a tree that was built without that one`,
    hint: 'publish from the folder that was published before, or add --append if the tree was built in a new folder; --rollback goes back to an earlier state, and --drop-generations drops the states at the target',
  });
}
