import { Failure } from '../../contract/failure.ts';
import type { Target } from '../../storage/target.ts';
import type { Lock } from '../../store/lock.ts';

/**
 * Locks a target that can be locked: a folder. At other targets, the conditional write of the head detects another run.
 * @throws Failure target-busy
 */
export function lockTarget(target: Target): Lock | undefined {
  if (target.lock === undefined) return undefined;
  const lock = target.lock();
  if (lock !== undefined) return lock;
  throw new Failure('target-busy', `another run is publishing to ${target.name}`, {
    place: { file: target.name },
    hint: 'wait until it has ended, then publish again',
  });
}
