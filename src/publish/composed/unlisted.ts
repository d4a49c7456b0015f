import type { Generation } from '../../rewrite/compose.ts';

/** A state of which chunks may be at a target, although the log of its head may not have it. */
export interface UnlistedState {
  /** The SHA-256 of both roots. */
  readonly data: string;
  readonly account: string;
  /** When it was noted, in milliseconds since 1970. */
  readonly since: number;
  /** Whether all its chunks were sent. A run that was killed may have sent only some, but no chunk before the node above it. */
  readonly complete: boolean;
}

/** The roots of a state. */
type Roots = Pick<UnlistedState, 'data' | 'account'>;

/** Returns the states that a log does not have. */
export function statesBeyond<T extends Roots>(states: readonly T[], log: readonly Roots[]): readonly T[] {
  const keyOf = ({ data, account }: Roots) => `${data} ${account}`;
  const listed = new Set(log.map(keyOf));
  return states.filter((state) => !listed.has(keyOf(state)));
}

/** Returns the states of generations whose chunks all are at the target, but which its log no longer has. */
export function formerStates(generations: readonly Generation[], now: number): readonly UnlistedState[] {
  return generations.map(({ data, account }) => ({ data, account, since: now, complete: true }));
}
