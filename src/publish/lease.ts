import { hash, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { stopped } from '../contract/pauses.ts';
import { toFailure } from '../storage/retry.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Condition, Target } from '../storage/target.ts';
import { plainHeaders } from './headers.ts';
import { isAlive, thisProcess } from './process-identity.ts';
import { readState } from './remote-tree.ts';
import { encodeState, type Holder, type PublishState, parseState, STATE } from './state.ts';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_MS = 4_000;
/** Milliseconds without a heartbeat after which other runs consider a lease expired. */
const LEASE_TTL_MS = 20_000;
/** Milliseconds after its last heartbeat in which a run still writes. Shorter than the lease TTL. */
const WRITE_WINDOW_MS = 15_000;
/** Milliseconds after its last heartbeat in which a run still retries heartbeats. */
const GIVE_UP_MS = 120_000;
/** If a store does not support conditional writes: milliseconds between a claim and the check for a competing claim. */
const CLAIM_DELAY_MS = 2_000;

type Claim = Omit<PublishState, 'palimpsest' | 'state' | 'holder'>;

/**
 * Waits until the lease of another run has expired.
 * @throws Failure target-busy if that run is alive, stopped
 */
export async function awaitHolder(target: Target, holder: Holder | null, signal: AbortSignal): Promise<void> {
  // process ids are reused: only a heartbeat shows that the run is alive
  if (holder === null || isAlive(holder) === false) return;
  const started = performance.now();
  while (performance.now() - started < LEASE_TTL_MS) {
    await wait(1_000, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw stopped(keptAt(target));
    const now = (await readState(target, signal))?.state.holder ?? null;
    if (now?.token === holder.token && now.beat === holder.beat) continue;
    throw new Failure('target-busy', `another run is publishing to ${target.name}`, {
      place: { file: STATE },
      expected: 'one publisher at a time',
      found: now === null ? 'a run that has just ended' : 'a run in progress',
      hint: 'wait until it has ended, then publish again; the lease of a run that died expires after 20 seconds',
    });
  }
}

/** Returns what a publish that is told to stop leaves at its target. */
export function keptAt({ name }: Pick<Target, 'name'>): string {
  return `the files that were sent to ${name} are kept, and the next run sends the rest`;
}

/** The right to write at a target. A run keeps it as long as its heartbeats succeed. */
export class Lease {
  readonly #target: Target;
  readonly #claim: Claim;
  readonly #signal: AbortSignal;
  readonly #token = randomUUID();
  /** Whether the store supports conditional writes. If it does not, two runs may fail to notice each other. */
  isConditional = true;
  #tag: string | undefined;
  #beat = 0;
  #lastHeartbeat = 0;
  #lost: Failure | undefined;
  /** Why the last heartbeat failed. */
  #lastError: unknown;
  #isTaken = false;
  #pending: Promise<void> | undefined;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  /** Aborted when another run may have taken over. */
  #validity = new AbortController();
  #expiry: NodeJS.Timeout | undefined;

  /**
   * @param target for the heartbeats; it retries only briefly, because the next heartbeat follows soon
   * @param tag the tag of the state that was found; undefined if the target has no state
   * @param signal aborted when the run must stop
   */
  constructor(target: Target, claim: Claim, tag: string | undefined, signal: AbortSignal) {
    this.#target = target;
    this.#claim = claim;
    this.#tag = tag;
    this.#signal = signal;
  }

  /** @throws Failure target-busy if another run took the lease first */
  async take(target: Target): Promise<void> {
    await this.#write(target, 'publishing', true);
    if (!this.isConditional) {
      await wait(CLAIM_DELAY_MS, undefined, { signal: this.#signal }).catch(() => {});
      const now = await readState(target, this.#signal);
      if (now?.state.holder?.token !== this.#token) throw this.#takenOver();
    }
    this.#isTaken = true;
    this.#heartbeatTimer = setInterval(() => {
      this.#pending ??= this.#heartbeat();
    }, HEARTBEAT_MS);
    this.#heartbeatTimer.unref();
  }

  async #heartbeat(): Promise<void> {
    try {
      await this.#write(this.#target, 'publishing', true);
      this.#lastError = undefined;
    } catch (error) {
      this.#lastError = error instanceof StorageError ? toFailure(this.#target, STATE, error) : error;
      if (!(error instanceof Failure && error.code === 'target-busy')) return;
      this.#lost = error;
      this.#validity.abort();
    } finally {
      this.#pending = undefined;
    }
  }

  /**
   * Waits until the lease is certainly valid.
   * @returns a signal that is aborted when the lease is no longer valid
   * @throws Failure target-busy if another run took over; stopped; target-failed, target-denied if heartbeats fail
   */
  async hold(): Promise<AbortSignal> {
    for (;;) {
      if (this.#lost !== undefined) throw this.#lost;
      const silence = performance.now() - this.#lastHeartbeat;
      if (silence < WRITE_WINDOW_MS && !this.#validity.signal.aborted) return this.#validity.signal;
      if (this.#signal.aborted) throw stopped(keptAt(this.#target));
      const isTransient = this.#lastError instanceof Failure && this.#lastError.code === 'target-failed';
      if (this.#lastError !== undefined && (!isTransient || silence > GIVE_UP_MS)) throw this.#lastError;
      await wait(100);
    }
  }

  /**
   * Releases the lease and records whether the publish is complete or another run must complete it.
   * @param sortKeys the SHA-256 of the sort keys of the published tree
   */
  async release(state: PublishState['state'], target: Target, sortKeys?: string): Promise<void> {
    clearInterval(this.#heartbeatTimer);
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

  async #write(target: Target, state: PublishState['state'], hasHolder: boolean, claim: Claim = this.#claim): Promise<void> {
    if (!this.isConditional && this.#isTaken) {
      // replaces the condition
      const now = await readState(target, this.#signal);
      if (now?.state.holder?.token !== this.#token) throw this.#takenOver();
    }
    this.#beat += 1;
    const holder = hasHolder ? { ...thisProcess(), token: this.#token, beat: this.#beat } : null;
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
        // replaces the condition: checks that the state is still the one that was read
        if ((await target.get(STATE, this.#signal))?.tag !== this.#tag) throw this.#takenOver();
        return this.#write(target, state, hasHolder, claim);
      }
      if (error.kind !== 'conflict') throw toFailure(target, STATE, error);
      const now = await target.get(STATE, this.#signal);
      if (now === undefined) throw this.#takenOver();
      // the response to this very write was lost
      if (now.bytes.equals(bytes)) this.#tag = now.tag;
      else {
        // the response to an earlier write was lost, or that write arrived late: this run still has the lease
        if (tokenIn(now.bytes) !== this.#token) throw this.#takenOver();
        this.#tag = now.tag;
        return this.#write(target, state, hasHolder, claim);
      }
    }
    this.#extend(started);
  }

  #extend(started: number): void {
    this.#lastHeartbeat = started;
    clearTimeout(this.#expiry);
    if (this.#validity.signal.aborted) this.#validity = new AbortController();
    setMaxListeners(0, this.#validity.signal);
    this.#expiry = setTimeout(() => this.#validity.abort(), started + WRITE_WINDOW_MS - performance.now());
    this.#expiry.unref();
  }

  #takenOver(): Failure {
    return new Failure('target-busy', `another run began to publish to ${this.#target.name}`, {
      place: { file: STATE },
      expected: 'one publisher at a time',
      found: 'the claim of another run',
      hint: 'wait until the other run has ended, then publish again',
    });
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
