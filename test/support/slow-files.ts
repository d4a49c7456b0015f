import type { Reporter, TestCase, TestModule } from 'vitest/node';

const MINUTES = 5;

/** Prints the files that run for several minutes, each with its last test. So the output of a run that never ends names the cause. */
export class SlowFiles implements Reporter {
  readonly #running = new Map<string, { readonly since: number; readonly test: string }>();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#print(), MINUTES * 60_000);
  }

  onTestModuleQueued({ relativeModuleId: file }: TestModule): void {
    this.#running.set(file, { since: Date.now(), test: '' });
  }

  onTestCaseReady({ module: { relativeModuleId: file }, fullName }: TestCase): void {
    this.#running.set(file, { since: this.#running.get(file)?.since ?? Date.now(), test: fullName });
  }

  onTestModuleEnd({ relativeModuleId: file }: TestModule): void {
    this.#running.delete(file);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  #print(): void {
    for (const [file, { since, test }] of this.#running) {
      const minutes = Math.floor((Date.now() - since) / 60_000);
      if (minutes >= MINUTES) console.log(`running for ${minutes} minutes: ${file} > ${test}`);
    }
  }
}
