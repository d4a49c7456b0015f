import { Failure } from '../contract/failure.ts';
import type { Lock } from '../store/lock.ts';
import type { Target } from './target.ts';

/**
 * Locks a target that can be locked: a folder. At other targets, conditional writes exclude another run.
 * @throws Failure target-busy
 */
export function lockTarget(target: Pick<Target, 'name' | 'lock'>): Lock | undefined {
  const lock = target.lock?.();
  if (target.lock === undefined || lock !== undefined) return lock;
  throw new Failure('target-busy', `another run is publishing to ${target.name}`, {
    place: { file: target.name },
    hint: 'wait until it has ended, then run the same command again',
  });
}
