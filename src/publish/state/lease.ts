import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { stopped } from '../../contract/event-loop-pauses.ts';
import { Failure } from '../../contract/failure.ts';
import { isRunning, machineId } from '../../contract/files/running-process.ts';
import type { Remote } from '../../storage/remote.ts';
import { targetBusy } from '../../storage/target.ts';
import { encodeState, type FoundState, type Holder, type PublishState, readState } from './state.ts';
import { StateObject } from './state-object.ts';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_MS = 4_000;
/** Milliseconds for one attempt of a heartbeat. */
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** The most attempts of a heartbeat. The next heartbeat follows soon. */
const HEARTBEAT_ATTEMPTS = 2;
/** Milliseconds after its last heartbeat in which a run still writes. */
const WRITE_WINDOW_MS = 15_000;
/** Milliseconds without a heartbeat after which another run takes over. */
const LEASE_TTL_MS = 20_000;
/** Milliseconds after its last heartbeat in which a run still retries heartbeats. */
const GIVE_UP_MS = 120_000;

/** What a run intends to publish, and the trees that pages at the target may come from meanwhile. */
type Claim = Omit<PublishState, 'palimpsest' | 'state' | 'holder'>;

/**
 * Waits until the lease of another run has expired.
 * @throws Failure target-busy if that run is alive, stopped
 */
export async function awaitOtherRun(remote: Remote, holder: Holder | null): Promise<void> {
  // process ids are reused: only a heartbeat shows that a run is alive
  if (holder === null || (holder.machine === machineId() && !isRunning(holder.process))) return;
  const { signal, kept } = remote.policy;
  const started = performance.now();
  while (performance.now() - started < LEASE_TTL_MS) {
    await wait(1_000, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    if (signal?.aborted) throw stopped(kept);
    const now = (await readState(remote))?.state.holder;
    if (now?.token !== holder.token || now.beat !== holder.beat) throw targetBusy(remote);
  }
}

/** The right to write at a target. A run keeps it as long as its heartbeats succeed. */
export class Lease {
  readonly #remote: Remote;
  /** Sends heartbeats even after the run was stopped, until the requests in flight are completed. */
  readonly #heartbeats: Remote;
  readonly #claim: Claim;
  readonly #token = randomUUID();
  readonly #object: StateObject;
  #beat = 0;
  #lastHeartbeat = 0;
  #lost: Failure | undefined;
  /** Why the last heartbeat failed. */
  #lastError: unknown;
  #pending: Promise<void> | undefined;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  /** Aborted when another run may have taken over. */
  #validity = new AbortController();
  #expiry: NodeJS.Timeout | undefined;

  /**
   * @param found the state that was read; undefined if the target has none
   * @param isConditional whether the conditions of writes are proved
   */
  constructor(remote: Remote, claim: Omit<Claim, 'conditional'>, found: FoundState | undefined, isConditional: boolean) {
    const { attempts, timeout } = remote.policy;
    this.#remote = remote;
    this.#heartbeats = remote.with({
      attempts: Math.min(attempts, HEARTBEAT_ATTEMPTS),
      timeout: Math.min(timeout, HEARTBEAT_TIMEOUT_MS),
      signal: undefined,
    });
    this.#claim = { ...claim, conditional: isConditional ? undefined : false };
    this.#object = new StateObject(this.#token, found, isConditional);
  }

  /** @throws Failure target-busy if another run took the lease first */
  async take(): Promise<void> {
    this.#extend(await this.#object.claim(this.#remote, this.#encodeHeld));
    this.#heartbeatTimer = setInterval(() => {
      this.#pending ??= this.#heartbeat();
    }, HEARTBEAT_MS);
    this.#heartbeatTimer.unref();
  }

  async #heartbeat(): Promise<void> {
    try {
      this.#extend(await this.#object.write(this.#heartbeats, this.#encodeHeld));
      this.#lastError = undefined;
    } catch (error) {
      this.#lastError = error;
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
      if (this.#remote.policy.signal?.aborted) throw stopped(this.#remote.policy.kept);
      const isTransient = this.#lastError instanceof Failure && this.#lastError.code === 'target-failed';
      if (this.#lastError !== undefined && (!isTransient || silence > GIVE_UP_MS)) throw this.#lastError;
      await wait(100);
    }
  }

  /**
   * Records that the publish is complete, and releases the lease.
   * @param sortKeys the SHA-256 of the sort keys of the published tree
   */
  async complete(sortKeys: string): Promise<void> {
    const trees = this.#claim.trees.slice(-1).map((tree) => ({ ...tree, sort_keys: sortKeys }));
    await this.#release(this.#remote.with({ signal: undefined }), { state: 'published', ...this.#claim, trees });
  }

  /**
   * Releases the lease of a run that another run must complete. The other run then need not wait until the lease expires.
   * @throws Failure target-busy if another run took over; target-failed, target-denied
   */
  async abandon(): Promise<void> {
    await this.#release(this.#heartbeats, { state: 'publishing', ...this.#claim });
  }

  async #release(remote: Remote, state: Omit<PublishState, 'palimpsest' | 'holder'>): Promise<void> {
    clearInterval(this.#heartbeatTimer);
    await this.#pending;
    clearTimeout(this.#expiry);
    if (this.#lost !== undefined) throw this.#lost;
    await this.#object.write(remote, () => encodeState({ ...state, holder: null }));
  }

  readonly #encodeHeld = (): Buffer => {
    this.#beat += 1;
    const holder = { machine: machineId(), process: process.pid, token: this.#token, beat: this.#beat };
    return encodeState({ state: 'publishing', ...this.#claim, holder });
  };

  /** @param began when the last successful heartbeat began, by `performance.now()` */
  #extend(began: number): void {
    this.#lastHeartbeat = began;
    clearTimeout(this.#expiry);
    if (this.#validity.signal.aborted) this.#validity = new AbortController();
    setMaxListeners(0, this.#validity.signal);
    this.#expiry = setTimeout(() => this.#validity.abort(), began + WRITE_WINDOW_MS - performance.now());
    this.#expiry.unref();
  }
}
