import { number, plural, seconds, size } from '../contract/amounts.ts';
import type { OnProgress } from '../contract/event-loop-pauses.ts';
import type { Output } from './process-io.ts';

/** The time before progress is first shown, and the least time between two updates of the line, in milliseconds. */
const DELAY_MS = 1000;
const UPDATE_MS = 100;
/** The time between two lines if standard error is not a terminal, in milliseconds. */
const LINE_MS = 30_000;
/** How often the line is updated while nothing is reported, in milliseconds. */
const TICK_MS = 1000;
/** The width of a terminal that does not report its width, in columns. */
const DEFAULT_COLUMNS = 80;

/**
 * The number of ticks before the time left is shown, and the largest difference between the estimates in these ticks, as a share of
 * the largest one.
 */
const STEADY_TICKS = 5;
const STEADY_SHARE = 0.1;

/** How a phase of a command is shown: what it does, and how its amounts are formatted, alone or as a part of all. */
export interface Phase {
  readonly label: string;
  readonly amount: (value: number, all?: number) => string;
}

/** Formats amounts of items, such as `12 accounts` or `12 of 40 accounts`. */
export function items(noun: string): Phase['amount'] {
  return (value, all) => (all === undefined ? plural(value, noun) : `${number(value)} of ${plural(all, noun)}`);
}

/** Formats amounts of bytes, such as `12 MB` or `12 MB of 40 MB`. */
export const bytes: Phase['amount'] = (value, all) => (all === undefined ? size(value) : `${size(value)} of ${size(all)}`);

/** The phases of a command by name, in their order. */
export type Phases<Name extends string> = { readonly [N in Name]: Phase };

/**
 * Shows the progress of a command that takes longer than a second. On a terminal, one line is updated in place. Elsewhere, a
 * line is written every 30 seconds.
 */
export class Progress<Name extends string> {
  readonly #stream: Output;
  readonly #isTerminal: boolean;
  readonly #phases: Phases<Name>;
  readonly #timer: NodeJS.Timeout;
  #written = performance.now();
  #isShown = false;
  #phase: Name | undefined;
  /** The time and the amount at the first report of the phase, and the last report. */
  #began = 0;
  #first = 0;
  #done = 0;
  #all = 0;
  /** The last estimates of the whole time of the phase, one for each tick. */
  #estimates: readonly number[] = [];

  constructor(stream: Output, isTerminal: boolean, phases: Phases<Name>) {
    this.#stream = stream;
    this.#isTerminal = isTerminal;
    this.#phases = phases;
    // as if a line had been written so long ago that the first one is due after the delay
    if (isTerminal) this.#written += DELAY_MS - UPDATE_MS;
    this.#timer = setInterval(() => {
      this.#estimate();
      this.#update();
    }, TICK_MS);
    this.#timer.unref();
  }

  readonly show: OnProgress<Name> = (phase, done, all) => {
    if (phase !== this.#phase || done < this.#done) {
      this.#began = performance.now();
      this.#first = done;
      this.#estimates = [];
    }
    const isNew = phase !== this.#phase;
    [this.#phase, this.#done, this.#all] = [phase, done, all];
    // a new phase is shown at once: it may block before its next report
    if (isNew && this.#isShown) this.#written = 0;
    this.#update();
  };

  /** Removes the line from the terminal, for example before other output. */
  clear(): void {
    if (this.#isShown && this.#isTerminal) this.#stream.write('\r\u001b[K');
    this.#isShown = false;
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #estimate(): void {
    const whole = ((performance.now() - this.#began) * (this.#all - this.#first)) / (this.#done - this.#first);
    this.#estimates = whole > 0 && whole < Number.POSITIVE_INFINITY ? [...this.#estimates, whole].slice(-STEADY_TICKS) : [];
  }

  #update(): void {
    const now = performance.now();
    if (this.#phase === undefined || now - this.#written < (this.#isTerminal ? UPDATE_MS : LINE_MS)) return;
    this.#written = now;
    // a text that fills the last column would move some terminals to the next line
    const columns = this.#isTerminal ? (this.#stream.columns || DEFAULT_COLUMNS) - 1 : Number.POSITIVE_INFINITY;
    const text = this.#text(this.#phase, now, columns).slice(0, columns);
    this.#stream.write(this.#isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
    this.#isShown = this.#isTerminal;
  }

  /** Returns the line of a phase. If it would be longer than the maximum, it has no time left, and its label is cut: the amounts stay. */
  #text(phase: Name, now: number, maximum: number): string {
    const { label, amount } = this.#phases[phase];
    const names = Object.keys(this.#phases);
    const step = names.length === 1 ? '' : `${names.indexOf(phase) + 1}/${names.length} `;
    const share = this.#share(amount, now - this.#began);
    const whole = `${step}${label}${share}${this.#left(now - this.#began)}`;
    if (whole.length <= maximum) return whole;
    const room = Math.max(0, maximum - step.length - share.length);
    return `${step}${label.length <= room ? label : `${label.slice(0, Math.max(0, room - 1))}…`}${share}`;
  }

  #share(amount: Phase['amount'], elapsed: number): string {
    const [done, all] = [this.#done, this.#all];
    if (all === 0) return done === 0 ? `, ${seconds(elapsed)} so far` : `: ${amount(done)} so far`;
    return `: ${amount(done, all)}`;
  }

  /** Returns the time that is left as text; '' unless the estimates are steady. */
  #left(elapsed: number): string {
    const most = Math.max(...this.#estimates);
    const isSteady = this.#estimates.length === STEADY_TICKS && most - Math.min(...this.#estimates) <= most * STEADY_SHARE;
    if (!isSteady || this.#done >= this.#all) return '';
    return `, ${seconds((elapsed * (this.#all - this.#done)) / (this.#done - this.#first))} left`;
  }
}
