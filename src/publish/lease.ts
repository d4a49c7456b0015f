import { hash, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { stopped, toFailure } from '../storage/retry.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Condition, Target } from '../storage/target.ts';
import { plainHeaders } from './headers.ts';
import { isAlive, thisProcess } from './process-identity.ts';
import { readState } from './remote-tree.ts';
import { encodeState, type Holder, type PublishState, parseState, STATE } from './state.ts';

/** How often a run says that it lives, in milliseconds. */
const HEARTBEAT_MS = 4_000;
/** How long a run that says nothing is waited for. */
const LEASE_TTL_MS = 20_000;
/** How long after its last beat a run still writes: less than others wait. */
const WRITE_WINDOW_MS = 15_000;
/** How long after its last beat a run goes on trying to say that it lives. */
const GIVE_UP_MS = 120_000;
/** Where a store knows no conditions: how long after its claim a run looks whether another came. */
const CLAIM_DELAY_MS = 2_000;

type Claim = Omit<PublishState, 'palimpsest' | 'state' | 'holder'>;

/**
 * Waits for what another run's death would look like.
 * @throws Failure target-busy where it lives, stopped
 */
export async function awaitHolder(target: Target, holder: Holder | null, signal: AbortSignal): Promise<void> {
  // a process of that number may be another by now: only a beat shows that the run lives
  if (holder === null || isAlive(holder) === false) return;
  const started = performance.now();
  while (performance.now() - started < LEASE_TTL_MS) {
    await wait(1_000, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw stopped(target);
    const now = (await readState(target, signal))?.state.holder ?? null;
    if (now?.token === holder.token && now.beat === holder.beat) continue;
    throw new Failure('target-busy', `another run is publishing to ${target.name}`, {
      place: { file: STATE },
      expected: 'one publisher at a time',
      found: now === null ? 'a run that has ended just now' : 'a run that is under way',
      hint: 'wait until it has ended, then publish again; a run that died is taken over after twenty seconds',
    });
  }
}

/** The right to write at a target, which a run has as long as it says that it lives. */
export class Lease {
  readonly #target: Target;
  readonly #claim: Claim;
  readonly #signal: AbortSignal;
  readonly #token = randomUUID();
  /** Whether the store holds writes to their conditions; where it does not, two runs may overlook each other. */
  isConditional = true;
  #tag: string | undefined;
  #beat = 0;
  #last = 0;
  #lost: Failure | undefined;
  /** Why the last beat did not come about. */
  #failed: unknown;
  #isSettled = false;
  #pending: Promise<void> | undefined;
  #clock: NodeJS.Timeout | undefined;
  /** Ends when it is not sure any more that nobody took over. */
  #leave = new AbortController();
  #expiry: NodeJS.Timeout | undefined;

  /**
   * @param target for the beats: it does not try for long, since the next is soon to come
   * @param tag of the state that was found; undefined where there was none
   * @param signal says that the run is to stop
   */
  constructor(target: Target, claim: Claim, tag: string | undefined, signal: AbortSignal) {
    this.#target = target;
    this.#claim = claim;
    this.#tag = tag;
    this.#signal = signal;
  }

  /** @throws Failure target-busy where another run was quicker */
  async take(target: Target): Promise<void> {
    await this.#write(target, 'publishing', true);
    if (!this.isConditional) {
      await wait(CLAIM_DELAY_MS, undefined, { signal: this.#signal }).catch(() => {});
      const now = await readState(target, this.#signal);
      if (now?.state.holder?.token !== this.#token) throw this.#taken();
    }
    this.#isSettled = true;
    this.#clock = setInterval(() => {
      this.#pending ??= this.#sayThatItLives();
    }, HEARTBEAT_MS);
    this.#clock.unref();
  }

  async #sayThatItLives(): Promise<void> {
    try {
      await this.#write(this.#target, 'publishing', true);
      this.#failed = undefined;
    } catch (error) {
      this.#failed = error instanceof StorageError ? toFailure(this.#target, STATE, error) : error;
      if (!(error instanceof Failure && error.code === 'target-busy')) return;
      this.#lost = error;
      this.#leave.abort();
    } finally {
      this.#pending = undefined;
    }
  }

  /**
   * Waits until it is sure that nobody took over.
   * @returns what says when it is so no more
   * @throws Failure target-busy where somebody did; stopped; target-failed, target-denied where it cannot be made sure
   */
  async hold(): Promise<AbortSignal> {
    for (;;) {
      if (this.#lost !== undefined) throw this.#lost;
      const silence = performance.now() - this.#last;
      if (silence < WRITE_WINDOW_MS && !this.#leave.signal.aborted) return this.#leave.signal;
      if (this.#signal.aborted) throw stopped(this.#target);
      const mayPass = this.#failed instanceof Failure && this.#failed.code === 'target-failed';
      if (this.#failed !== undefined && (!mayPass || silence > GIVE_UP_MS)) throw this.#failed;
      await wait(100);
    }
  }

  /**
   * Says that all is done, or that another run has to complete it.
   * @param sortKeys of the tree that is published
   */
  async release(state: PublishState['state'], target: Target, sortKeys?: string): Promise<void> {
    clearInterval(this.#clock);
    await this.#pending;
    clearTimeout(this.#expiry);
    if (this.#lost !== undefined) throw this.#lost;
    const claim =
      state === 'published'
        ? { ...this.#claim, trees: this.#claim.trees.slice(-1).map((tree) => ({ ...tree, sort_keys: sortKeys })) }
        : this.#claim;
    await this.#write(target, state, false, claim);
    clearTimeout(this.#expiry);
  }

  async #write(target: Target, state: PublishState['state'], isHeld: boolean, claim: Claim = this.#claim): Promise<void> {
    if (!this.isConditional && this.#isSettled) {
      // what a condition would have told
      const now = await readState(target, this.#signal);
      if (now?.state.holder?.token !== this.#token) throw this.#taken();
    }
    this.#beat += 1;
    const holder = isHeld ? { ...thisProcess(), token: this.#token, beat: this.#beat } : null;
    const bytes = encodeState({ state, ...claim, holder });
    const upload = { bytes, headers: plainHeaders(STATE), digest: hash('sha256', bytes) };
    const condition: Condition = this.#tag === undefined ? 'absent' : { tag: this.#tag };
    const started = performance.now();
    try {
      this.#tag = await target.put(STATE, upload, this.#signal, this.isConditional ? condition : undefined);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.kind === 'unsupported' && this.isConditional) {
        this.isConditional = false;
        // what the condition would have told: whether the target is still as it was looked at
        if ((await target.get(STATE, this.#signal))?.tag !== this.#tag) throw this.#taken();
        return this.#write(target, state, isHeld, claim);
      }
      if (error.kind !== 'conflict') throw toFailure(target, STATE, error);
      const now = await target.get(STATE, this.#signal);
      if (now === undefined) throw this.#taken();
      // the answer to this very write was lost
      if (now.bytes.equals(bytes)) this.#tag = now.tag;
      else {
        // the answer to an earlier write was lost, or that write arrived late: the target is still this run's
        if (tokenIn(now.bytes) !== this.#token) throw this.#taken();
        this.#tag = now.tag;
        return this.#write(target, state, isHeld, claim);
      }
    }
    this.#renew(started);
  }

  #renew(started: number): void {
    this.#last = started;
    clearTimeout(this.#expiry);
    if (this.#leave.signal.aborted) this.#leave = new AbortController();
    setMaxListeners(0, this.#leave.signal);
    this.#expiry = setTimeout(() => this.#leave.abort(), started + WRITE_WINDOW_MS - performance.now());
    this.#expiry.unref();
  }

  #taken(): Failure {
    return new Failure('target-busy', `another run began to publish to ${this.#target.name}`, {
      place: { file: STATE },
      expected: 'one publisher at a time',
      found: 'a claim that is not this run’s',
      hint: 'let the other run end, then publish again',
    });
  }
}

/** The token of the run that holds a target, by the bytes of its state; undefined where none does. */
function tokenIn(bytes: Buffer): string | undefined {
  try {
    return parseState(bytes).holder?.token;
  } catch {
    return undefined;
  }
}
