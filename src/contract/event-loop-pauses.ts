import { setImmediate } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** How long work may block the event loop, in milliseconds. Signals and timers wait for that long. */
const MAX_BLOCKING_MS = 50;

/** Called by long work with its phase, how much of the phase is done, and how much there is; 0 if that is unknown. */
export type OnProgress<Phase extends string> = (phase: Phase, done: number, all: number) => void;

/** The Failure of a run that was told to stop. `kept` says in which state everything is now. */
export function stopped(kept: string): Failure {
  return new Failure('stopped', `interrupted: ${kept}`, { hint: 'run the same command again' });
}

/**
 * Pauses of long synchronous work. In a pause the process handles signals and timers. Such work asks after each item
 * whether a pause is due: `if (pauses.areDue) await pauses.take();`
 */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  readonly #kept: string;
  #resumed = performance.now();

  /**
   * @param signal aborted when the work must stop
   * @param kept the state of everything after a stop, for the message
   */
  constructor(signal: AbortSignal | undefined, kept: string) {
    this.#signal = signal;
    this.#kept = kept;
  }

  get areDue(): boolean {
    return performance.now() - this.#resumed > MAX_BLOCKING_MS;
  }

  /**
   * @param report shows the progress
   * @throws Failure stopped
   */
  async take(report?: () => void): Promise<void> {
    report?.();
    await setImmediate();
    this.#resumed = performance.now();
    this.check();
  }

  /** @throws Failure stopped if the work was told to stop */
  check(): void {
    if (this.#signal?.aborted) throw stopped(this.#kept);
  }

  /**
   * Waits for something that may never happen, such as the next bytes of standard input.
   * @throws Failure stopped as soon as the work is told to stop
   */
  async until<T>(event: Promise<T>): Promise<T> {
    // nobody waits for it after a stop: an error of it would end the process
    event.catch(() => {});
    this.check();
    if (this.#signal === undefined) return await event;
    let forget = () => {};
    const stop = new Promise<never>((_, reject) => {
      forget = this.onStop(() => reject(stopped(this.#kept)));
    });
    try {
      return await Promise.race([event, stop]);
    } finally {
      forget();
    }
  }

  /** Calls `listener` when the work is told to stop. Returns a function that removes the listener. */
  onStop(listener: () => void): () => void {
    this.#signal?.addEventListener('abort', listener);
    return () => this.#signal?.removeEventListener('abort', listener);
  }
}
