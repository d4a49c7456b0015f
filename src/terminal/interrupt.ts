import { constants } from 'node:os';
import type { ProcessIO, StopSignal } from './process-io.ts';

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A second signal within this time is the first one again: npx passes on the signal that the terminal sends to both. */
const SAME_SIGNAL_MS = 500;

/**
 * Stops the current command on a signal. A command that asks for {@link signal} ends in its own time, with everything in
 * order. Any other command, and any command at the second signal, ends at once.
 */
export class Interrupt {
  readonly #io: ProcessIO;
  readonly #endAtOnce: () => void;
  readonly #controller = new AbortController();
  #isHandled = false;
  #signal: StopSignal | undefined;
  #received = 0;

  /** @param endAtOnce says that the process ends, and calls {@link endProcess} */
  constructor(io: ProcessIO, endAtOnce: () => void) {
    this.#io = io;
    this.#endAtOnce = endAtOnce;
    for (const name of SIGNALS) this.#listen(name);
  }

  #listen(name: StopSignal): void {
    this.#io.once(name, () => {
      this.#listen(name);
      const isSecond = this.#signal !== undefined;
      if (isSecond && performance.now() - this.#received < SAME_SIGNAL_MS) return;
      this.#received = performance.now();
      this.#signal = name;
      if (isSecond || !this.#isHandled) this.#endAtOnce();
      else this.#controller.abort();
    });
  }

  /** Aborted when the command must stop. A command that reads it must end after that. */
  get signal(): AbortSignal {
    this.#isHandled = true;
    return this.#controller.signal;
  }

  /** The exit code for a command that a signal has stopped: 128 and the number of the signal. Undefined without a signal. */
  get exitCode(): number | undefined {
    return this.#signal === undefined ? undefined : 128 + constants.signals[this.#signal];
  }

  /**
   * Ends a process after a signal, because something may still be open. An unfinished command ends by the signal itself: a service
   * manager treats an exit code as a failure, and a shell ends its script only after the signal.
   */
  endProcess(exitCode: number): void {
    if (this.#signal === undefined) return;
    if (exitCode === this.exitCode && this.#io.pid !== undefined) {
      this.#io.removeAllListeners?.(this.#signal);
      this.#io.kill?.(this.#io.pid, this.#signal);
    } else this.#io.exit?.(exitCode);
  }
}
