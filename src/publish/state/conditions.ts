import { randomBytes } from 'node:crypto';
import { provesCreate, provesRace, provesReplace, RACE_CREATES } from '../../storage/condition-proof.ts';
import type { Remote } from '../../storage/remote.ts';
import { type FoundState, STATE } from './state.ts';
import { otherRun, stateUpload } from './state-object.ts';

/** The number of requests of each kind. */
export interface Requests {
  readonly writes: number;
  readonly reads: number;
  readonly deletes: number;
}

/** Returns the requests of {@link provesConditions} at a target with this state. */
export function proofRequests(found: FoundState | undefined): Requests {
  if (found === undefined) return { writes: RACE_CREATES + 1, reads: 0, deletes: 1 };
  const isUnproved = found.state.conditional === false;
  return { writes: 2 + (isUnproved ? RACE_CREATES : 0), reads: 1, deletes: isUnproved ? 1 : 0 };
}

/**
 * Proves that the store refuses the write of a run that has not seen what another run wrote. The state stays as it is, even at a
 * store that accepts everything.
 * @param found the state that was read; undefined if the target has none
 * @throws Failure target-busy if another run wrote the state since
 */
export async function provesConditions(remote: Remote, found: FoundState | undefined): Promise<boolean> {
  const race = (isReplaced: boolean) =>
    provesRace(remote, `${STATE}.${randomBytes(6).toString('hex')}`, stateUpload(Buffer.from('{}\n')), isReplaced);
  if (found === undefined) return race(true);
  // a store that checks first and writes then passes the proofs below
  if (found.state.conditional === false && !(await race(false))) return false;
  // a store that accepts everything replaces the state with these bytes
  if ((await remote.get(STATE))?.bytes.equals(found.bytes) !== true) throw otherRun(remote);
  const upload = stateUpload(found.bytes);
  return (await provesCreate(remote, STATE, upload)) && (await provesReplace(remote, STATE, upload));
}
