import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../contract/failure.ts';
import { isRunning, machineId } from '../../contract/files/process.ts';
import { stopped } from '../../contract/pauses.ts';
import type { Remote } from '../../storage/remote.ts';
import { type Holder, readState, STATE } from './state.ts';

/** Milliseconds without a heartbeat after which a lease is considered expired. */
const LEASE_TTL_MS = 20_000;

/**
 * Waits until the lease of another run has expired.
 * @throws Failure target-busy if that run is alive, stopped
 */
export async function awaitOtherRun(remote: Remote, holder: Holder | null): Promise<void> {
  const { signal } = remote.policy;
  // process ids are reused: only a heartbeat shows that the run is alive
  if (holder === null || isAlive(holder) === false) return;
  const started = performance.now();
  while (performance.now() - started < LEASE_TTL_MS) {
    await wait(1_000, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    if (signal?.aborted) throw stopped(remote.policy.kept);
    const now = (await readState(remote))?.state.holder ?? null;
    if (now?.token === holder.token && now.beat === holder.beat) continue;
    throw new Failure('target-busy', `another run is publishing to ${remote.name}`, {
      place: { file: STATE },
      found: now === null ? 'a run that has just ended' : undefined,
      hint: 'wait until it has ended, then publish again; the lease of a run that died expires after 20 seconds',
    });
  }
}

/** Identifies this process, so that another process on the same machine can check whether it is alive. */
export function thisProcess(): Pick<Holder, 'machine' | 'process'> {
  return { machine: machineId(), process: process.pid };
}

/** Returns whether a process is alive; undefined if this machine cannot check it. */
export function isAlive(holder: Holder): boolean | undefined {
  return holder.machine === machineId() ? isRunning(holder.process) : undefined;
}
