import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { provesCreate, provesRace, provesReplace, RACE_CREATES } from '../../storage/conditional-write-proof.ts';
import type { Remote } from '../../storage/remote.ts';
import { storageErrorKind } from '../../storage/storage-error.ts';
import { type Fetched, targetBusy } from '../../storage/target.ts';
import { plainUpload } from '../objects/headers.ts';
import { type FoundState, parseState, STATE } from './state.ts';

/** Without conditional writes: milliseconds between a claim and the check for a claim that was written at the same time. */
const CLAIM_DELAY_MS = 2_000;

/** The state's object at a target. It is written only if no other run has written it since. */
export class StateObject {
  readonly #token: string;
  readonly #found: FoundState | undefined;
  #tag: string | undefined;
  readonly #isConditional: boolean;

  /**
   * @param token identifies this run in the states that it writes
   * @param found the state that was read; undefined if the target has none
   * @param isConditional whether the conditions of writes are proved. If not, reads replace them, and two runs may not detect each other
   */
  constructor(token: string, found: FoundState | undefined, isConditional: boolean) {
    this.#token = token;
    this.#found = found;
    this.#tag = found?.tag;
    this.#isConditional = isConditional;
  }

  /**
   * Writes the first state of this run, and makes sure that no other run has claimed the target too.
   * @param encode returns the state; called for each attempt
   * @returns when the write began, by `performance.now()`
   * @throws Failure target-busy if another run was first
   */
  async claim(remote: Remote, encode: () => Buffer): Promise<number> {
    const began = await this.write(remote, encode);
    if (!this.#isConditional) {
      const { signal } = remote.policy;
      await wait(CLAIM_DELAY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      await this.#check(remote);
    }
    return began;
  }

  /** Writes a later state of this run, with the parameters and errors of {@link claim}. */
  async write(remote: Remote, encode: () => Buffer): Promise<number> {
    if (!this.#isConditional) await this.#check(remote);
    const bytes = encode();
    const condition = this.#tag === undefined ? 'absent' : { tag: this.#tag };
    const began = performance.now();
    try {
      this.#tag = await remote.put(STATE, plainUpload(STATE, bytes), this.#isConditional ? condition : undefined);
      return began;
    } catch (error) {
      if (storageErrorKind(error) !== 'conflict') throw error;
      const now = await remote.get(STATE);
      // the response to this very write was lost
      const isWritten = now?.bytes.equals(bytes) === true;
      // the response to an earlier write was lost, or that write arrived late: this run still has the lease
      if (!isWritten && !this.#isOwn(now)) throw targetBusy(remote);
      this.#tag = now?.tag;
      return isWritten ? began : this.write(remote, encode);
    }
  }

  /** Replaces a condition: makes sure that the state is the one that this run found or wrote. */
  async #check(remote: Remote): Promise<void> {
    const now = await remote.get(STATE);
    // not the tags: the proof of another run may have written the same bytes again
    const isFound = now === undefined ? this.#found === undefined : this.#found?.bytes.equals(now.bytes);
    if (!isFound && !this.#isOwn(now)) throw targetBusy(remote);
  }

  #isOwn(now: Fetched | undefined): boolean {
    return now !== undefined && tokenIn(now.bytes) === this.#token;
  }
}

/** Returns the token of the lease holder from the bytes of a state; undefined without a holder. */
function tokenIn(bytes: Buffer): string | undefined {
  try {
    return parseState(bytes).holder?.token;
  } catch {
    return undefined;
  }
}

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
    provesRace(remote, `${STATE}.${randomBytes(6).toString('hex')}`, plainUpload(STATE, Buffer.from('{}\n')), isReplaced);
  if (found === undefined) return race(true);
  // a store that checks first and writes then passes the proofs below
  if (found.state.conditional === false && !(await race(false))) return false;
  // a store that accepts everything replaces the state with these bytes
  if ((await remote.get(STATE))?.bytes.equals(found.bytes) !== true) throw targetBusy(remote);
  const upload = plainUpload(STATE, found.bytes);
  return (await provesCreate(remote, STATE, upload)) && (await provesReplace(remote, STATE, upload));
}
