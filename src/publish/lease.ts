import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { plainHeaders } from './headers.ts';
import { isAlive, thisProcess } from './process-identity.ts';
import { worded } from './retry.ts';
import { encodeState, type PublishState, STATE } from './state.ts';
import { readState } from './survey.ts';
import type { Condition, Target } from './target.ts';
import { Trouble } from './trouble.ts';

/** How often a run says that it lives, in milliseconds. */
const BEAT = 4_000;
/** How long a run that says nothing is waited for. */
const PATIENCE = 20_000;
/** How long after its last beat a run still writes: less than others wait. */
const FRESH = 15_000;
/** Where a store knows no conditions: how long after its claim a run looks whether another came. */
const SETTLING = 2_000;

type Claim = Omit<PublishState, 'palimpsest' | 'state' | 'holder'>;

/**
 * Waits for what another run's death would look like.
 * @throws Failure target-busy where it lives
 */
export async function awaitHolder(target: Target, found: PublishState | undefined, signal: AbortSignal): Promise<void> {
  const holder = found?.holder ?? null;
  if (holder === null) return;
  const alive = isAlive(holder);
  if (alive === false) return;
  const busy = new Failure('target-busy', `another run is publishing to ${target.name}`, {
    place: { file: STATE },
    expected: 'one publisher at a time',
    found: 'a run that is under way',
    hint: 'wait until it has ended; where none runs any more, publish again: its claim ends with it',
  });
  if (alive) throw busy;
  const started = performance.now();
  while (performance.now() - started < PATIENCE) {
    await wait(1_000, undefined, { signal }).catch(() => {});
    const now = (await readState(target, signal))?.state.holder ?? null;
    if (now === null || now.token !== holder.token || now.beat !== holder.beat || signal.aborted) throw busy;
  }
}

/** The right to write at a target, which a run has as long as it says that it lives. */
export class Lease {
  readonly #target: Target;
  readonly #claim: Claim;
  readonly #token = randomUUID();
  /** Whether the store holds writes to their conditions; where it does not, two runs may overlook each other. */
  isConditional = true;
  #tag: string | undefined;
  #beat = 0;
  #last = 0;
  #lost: Failure | undefined;
  /** Why the last beat did not come about, however often it was tried. */
  #failed: { readonly error: unknown } | undefined;
  #isSettled = false;
  #pending: Promise<void> = Promise.resolve();
  #clock: NodeJS.Timeout | undefined;

  constructor(target: Target, claim: Claim, tag: string | undefined) {
    this.#target = target;
    this.#claim = claim;
    this.#tag = tag;
  }

  /** @throws Failure target-busy where another run was quicker */
  async take(signal: AbortSignal): Promise<void> {
    await this.#write('publishing', true, signal);
    if (!this.isConditional) {
      await wait(SETTLING, undefined, { signal }).catch(() => {});
      const now = await readState(this.#target, signal);
      if (now?.state.holder?.token !== this.#token) throw this.#taken();
    }
    this.#isSettled = true;
    this.#clock = setInterval(() => {
      this.#pending = this.#pending
        .then(() => this.#write('publishing', true, signal))
        .then(() => {
          this.#failed = undefined;
        })
        .catch((error: unknown) => {
          if (error instanceof Failure && error.code === 'target-busy') this.#lost = error;
          this.#failed = { error: error instanceof Trouble ? worded(this.#target, STATE, error) : error };
        });
    }, BEAT);
    this.#clock.unref();
  }

  /**
   * Waits until it is sure that nobody took over.
   * @throws Failure target-busy where somebody did; target-failed, target-denied where it cannot be made sure
   */
  async hold(): Promise<void> {
    for (;;) {
      if (this.#lost !== undefined) throw this.#lost;
      if (performance.now() - this.#last < FRESH) return;
      if (this.#failed !== undefined) throw this.#failed.error;
      await wait(100);
    }
  }

  /** Says that all is done, or that another run has to complete it. */
  async release(state: PublishState['state'], signal: AbortSignal): Promise<void> {
    clearInterval(this.#clock);
    await this.#pending;
    if (this.#lost !== undefined) throw this.#lost;
    const claim = state === 'published' ? { ...this.#claim, trees: this.#claim.trees.slice(-1) } : this.#claim;
    await this.#write(state, false, signal, claim);
  }

  async #write(state: PublishState['state'], isHeld: boolean, signal: AbortSignal, claim: Claim = this.#claim): Promise<void> {
    if (!this.isConditional && this.#isSettled) {
      // what a condition would have told
      const now = await readState(this.#target, signal);
      if (now?.state.holder?.token !== this.#token) throw this.#taken();
    }
    this.#beat += 1;
    const holder = isHeld ? { ...thisProcess(), token: this.#token, beat: this.#beat } : null;
    const bytes = encodeState({ state, ...claim, holder });
    const upload = { bytes, headers: plainHeaders(STATE), digest: hash('sha256', bytes) };
    const condition: Condition = this.#tag === undefined ? 'absent' : { tag: this.#tag };
    const started = performance.now();
    try {
      this.#tag = await this.#target.put(STATE, upload, signal, this.isConditional ? condition : undefined);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (error.kind === 'unsupported' && this.isConditional) {
        this.isConditional = false;
        // what the condition would have told: whether the target is still as it was looked at
        if ((await this.#target.get(STATE, signal))?.tag !== this.#tag) throw this.#taken();
        return this.#write(state, isHeld, signal, claim);
      }
      if (error.kind !== 'conflict') throw worded(this.#target, STATE, error);
      // the answer to this very write may have been lost on its way
      const now = await this.#target.get(STATE, signal);
      if (now === undefined || !now.bytes.equals(bytes)) throw this.#taken();
      this.#tag = now.tag;
    }
    this.#last = started;
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
