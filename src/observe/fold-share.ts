/**
 * Returns the share of the accounts whose changes the threads of a run compute, from 0 to 1. The merge computes the others. The threads
 * get more if they are far ahead of the merge, and less if the merge has to wait for them. The share does not change the result.
 * @param threads the number of threads beside the one that merges
 * @param folded how many windows of the queue are folded
 * @param windows the length of the queue
 */
export function foldShare(threads: number, folded: number, windows: number): number {
  const equalShare = threads / (threads + 1);
  return equalShare / 2 + (1 - equalShare / 2) * (folded / windows);
}
