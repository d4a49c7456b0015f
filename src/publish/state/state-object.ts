import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../contract/failure.ts';
import type { Remote } from '../../storage/remote.ts';
import { storageErrorKind } from '../../storage/storage-failure.ts';
import type { Condition } from '../../storage/target.ts';
import { plainHeaders } from '../objects/headers.ts';
import { parseState, readState, STATE } from './state.ts';

/** If a store does not support conditional writes: milliseconds between a claim and the check for a competing claim. */
const CLAIM_DELAY_MS = 2_000;

/** The state's object at a target. It is written only if no other run has written it since. */
export class StateObject {
  /** Whether the store supports conditional writes. If it does not, two runs may not detect each other. */
  isConditional = true;
  readonly #token: string;
  #tag: string | undefined;
  #isClaimed = false;

  /**
   * @param token identifies this run in the states that it writes
   * @param tag the tag of the object that was found; undefined if the target has none
   */
  constructor(token: string, tag: string | undefined) {
    this.#token = token;
    this.#tag = tag;
  }

  /**
   * Writes the first state of this run, and makes sure that no other run has claimed the target too.
   * @param encode returns the state; called for each attempt
   * @returns when the write began, by `performance.now()`
   * @throws Failure target-busy if another run was first
   */
  async claim(remote: Remote, encode: () => Buffer): Promise<number> {
    const began = await this.write(remote, encode);
    if (!this.isConditional) {
      const { signal } = remote.policy;
      await wait(CLAIM_DELAY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      await this.#check(remote);
    }
    this.#isClaimed = true;
    return began;
  }

  /** Writes a later state of this run, with the parameters and errors of {@link claim}. */
  async write(remote: Remote, encode: () => Buffer): Promise<number> {
    // replaces the condition
    if (!this.isConditional && this.#isClaimed) await this.#check(remote);
    const bytes = encode();
    const upload = { bytes, headers: plainHeaders(STATE), digest: hash('sha256', bytes) };
    const condition: Condition = this.#tag === undefined ? 'absent' : { tag: this.#tag };
    const began = performance.now();
    try {
      this.#tag = await remote.put(STATE, upload, this.isConditional ? condition : undefined);
      return began;
    } catch (error) {
      const kind = storageErrorKind(error);
      if (kind === 'unsupported' && this.isConditional) {
        this.isConditional = false;
        // replaces the condition: checks that the state is still the one that was read
        if ((await remote.get(STATE))?.tag !== this.#tag) throw takenOver(remote);
        return this.write(remote, encode);
      }
      if (kind !== 'conflict') throw error;
      const now = await remote.get(STATE);
      // the response to this very write was lost
      const isWritten = now?.bytes.equals(bytes) === true;
      // the response to an earlier write was lost, or that write arrived late: this run still has the lease
      const isOwn = isWritten || (now !== undefined && tokenIn(now.bytes) === this.#token);
      if (!isOwn) throw takenOver(remote);
      this.#tag = now?.tag;
      return isWritten ? began : this.write(remote, encode);
    }
  }

  async #check(remote: Remote): Promise<void> {
    const now = await readState(remote);
    if (now?.state.holder?.token !== this.#token) throw takenOver(remote);
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

function takenOver(remote: Remote): Failure {
  return new Failure('target-busy', `another run began to publish to ${remote.name}`, {
    place: { file: STATE },
    hint: 'wait until the other run has ended, then publish again',
  });
}
