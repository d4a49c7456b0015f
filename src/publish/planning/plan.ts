import { COLLECTIONS } from '../../contract/pages/collection.ts';
import { fileCount, pathsOfPages } from '../../tree/layout.ts';
import type { Digests } from '../../tree/manifest/digests.ts';
import type { Requests } from '../state/state-object.ts';
import { type BrowsePlan, planBrowse } from './browse-plan.ts';
import { gapsOf } from './reader-gaps.ts';
import { type Stages, stepsOf } from './steps.ts';
import type { Comparison } from './tree-comparison.ts';
import { planCollection } from './upload-order.ts';

/** The number of requests of each kind, and of all. */
interface AllRequests extends Requests {
  readonly all: number;
}

export interface Plan extends Stages {
  readonly browse: BrowsePlan;
  readonly uploads: number;
  readonly overlaps: number;
  readonly deletes: number;
  readonly unchanged: number;
  /** The number of files at the target. */
  readonly atTarget: number;
  /** Bytes of the uploads and overlap pages, before compression. Overlap pages count with their maximum size. */
  readonly bytes: number;
  /** All requests of a run, without its heartbeats. */
  readonly requests: AllRequests;
  /** Whether there is nothing to do. */
  readonly isIdle: boolean;
  /** The list price of these requests in US dollars. */
  readonly cost: number;
  /** The reasons why readers may miss items in any upload order; empty if an order exists in which they do not. */
  readonly readerGaps: readonly string[];
}

/** The build record, the manifest, and the state at the beginning and at the end. */
const CLOSING_WRITES = 4;

/** Computes the plan from a comparison of a tree with a target. Pure. */
export function planPublish(comparison: Comparison): Plan {
  const browse = planBrowse(comparison);
  const parts: readonly Stages[] = [...COLLECTIONS.map((collection) => planCollection(comparison, collection)), browse];
  const stages = parts.flatMap((part) => part.stages);
  const deleteStages = parts.flatMap((part) => part.deleteStages);
  const totals = { uploads: 0, overlaps: 0, deletes: 0, bytes: 0 };
  for (const { action, bytes } of stepsOf([...stages, ...deleteStages])) {
    totals[`${action}s`] += 1;
    totals.bytes += bytes;
  }
  const { found, prices, exclusions } = comparison;
  const isIdle = totals.uploads + totals.deletes === 0 && found.isCurrent && exclusions.store === exclusions.target;
  const proof = isIdle ? undefined : comparison.proof;
  const beside = isIdle ? 0 : CLOSING_WRITES + Number(comparison.sendsSortKeys) + Number(browse.hasUnlisted);
  const writes = totals.uploads + totals.overlaps + beside + (proof?.writes ?? 0);
  const deletes = totals.deletes + (proof?.deletes ?? 0);
  // an overlap page is made from the page that is read
  const reads = comparison.reads + totals.overlaps + (proof?.reads ?? 0);
  return {
    stages,
    deleteStages,
    browse,
    ...totals,
    unchanged: fileCount(comparison.digests) + browse.files - totals.uploads,
    atTarget: filesIn(found.digests) + browse.atTarget,
    requests: { all: writes + reads + deletes, writes, reads, deletes },
    isIdle,
    cost: writes * prices.write + reads * prices.read,
    readerGaps: gapsOf(comparison),
  };
}

function filesIn(digests: Digests): number {
  let files = 0;
  for (const path of pathsOfPages(digests)) if (digests.get(path) !== undefined) files += 1;
  return files;
}
