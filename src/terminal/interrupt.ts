import { constants } from 'node:os';
import type { ProcessIO } from './process-io.ts';

/** The signals that stop a command: Ctrl-C, the request of a service manager, and the end of the terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A second signal within this time is the first one again: npx passes on the signal that the terminal sends to both. */
const SAME_SIGNAL_MS = 500;

/**
 * Stops the current command on a signal. A command that asks for {@link signal} ends in its own time, with everything in
 * order. Any other command, and any command at the second signal, ends at once.
 */
export class Interrupt {
  readonly #io: ProcessIO;
  readonly #endAtOnce: (exitCode: number) => void;
  readonly #controller = new AbortController();
  #isHandled = false;
  #exitCode: number | undefined;
  #received = 0;

  /** @param endAtOnce ends the process */
  constructor(io: ProcessIO, endAtOnce: (exitCode: number) => void) {
    this.#io = io;
    this.#endAtOnce = endAtOnce;
    for (const name of SIGNALS) this.#listen(name);
  }

  #listen(name: (typeof SIGNALS)[number]): void {
    this.#io.once(name, () => {
      this.#listen(name);
      const isSecond = this.#exitCode !== undefined;
      if (isSecond && performance.now() - this.#received < SAME_SIGNAL_MS) return;
      this.#received = performance.now();
      this.#exitCode = 128 + constants.signals[name];
      if (isSecond || !this.#isHandled) this.#endAtOnce(this.#exitCode);
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
    return this.#exitCode;
  }
}
