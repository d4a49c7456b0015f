import { setImmediate } from 'node:timers/promises';

/** Lets one request at a time go on, in random order. */
export class Turns {
  readonly #random: () => number;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  async take(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      // other runs reach their next request
      for (let ticks = 0; ticks < 4; ticks += 1) await setImmediate();
      this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1)[0]?.();
    }
    this.#isBusy = false;
  }
}
