import { number, seconds } from './amounts.ts';
import { printable } from './printable.ts';
import type { Output } from './process-io.ts';

/** The time before progress is first shown, and the time between two updates, in milliseconds. */
const PROGRESS_DELAY_MS = 1000;
const PROGRESS_INTERVAL_MS = 100;

/** A progress line that is updated in place. It is shown only after one second. */
export class Progress {
  readonly #stream: Output;
  readonly #label: string;
  readonly #amount: (value: number) => string;
  #started: number | undefined;
  #shown = 0;

  /** @param amount formats the amount that is done, or the total */
  constructor(stream: Output, label: string, amount: (value: number) => string = number) {
    this.#stream = stream;
    this.#label = label;
    this.#amount = amount;
  }

  readonly show = (done: number, all: number): void => {
    const now = performance.now();
    this.#started ??= now;
    if (now - this.#started < PROGRESS_DELAY_MS || now - this.#shown < PROGRESS_INTERVAL_MS) return;
    this.#shown = now;
    const left = done === 0 ? '' : `, ${seconds(((now - this.#started) / done) * Math.max(0, all - done))} left`;
    const share = all === 0 ? this.#amount(done) : `${Math.min(100, Math.floor((done / all) * 100))} % of ${this.#amount(all)}${left}`;
    this.#stream.write(`\r\u001b[K${printable(this.#label)} ${share}`.slice(0, (this.#stream.columns ?? 80) + 4));
  };

  readonly end = (): void => {
    if (this.#shown > 0) this.#stream.write('\r\u001b[K');
  };
}
