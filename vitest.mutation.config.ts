import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type PoolOptions, type TestSpecification, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node';

/**
 * Starts the fastest files first: the run of a mutant ends with the first test that notices it. A run that ended early does not make
 * a file fast.
 */
class FastestFirst extends BaseSequencer {
  readonly #longest = new Map<string, number>();

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { cache, config } = this.ctx;
    const durations = files.map((file) => {
      const path = relative(config.root, file.moduleId);
      const { duration = 0 } = cache.getFileTestResults(`${file.project.name}:${path}`) ?? {};
      this.#longest.set(path, Math.max(duration, this.#longest.get(path) ?? 0));
      return { file, duration: this.#longest.get(path) ?? 0 };
    });
    return durations.toSorted((one, other) => one.duration - other.duration).map(({ file }) => file);
  }
}

/**
 * One thread for all mutants, because starting a thread and loading all modules for each takes longer than most tests. A mutant of
 * what runs when a module is loaded has a thread of its own.
 */
class KeptThread extends ThreadsPoolWorker {
  static #kept: KeptThread | undefined;
  readonly #options: PoolOptions;
  #isStarted = false;
  #listeners: [string, (message: unknown) => void][] = [];

  constructor(options: PoolOptions) {
    super(options);
    this.#options = options;
  }

  static of(options: PoolOptions): ThreadsPoolWorker {
    const context = Object.entries(options.project.getProvidedContext());
    if (context.some(([name, value]) => name === 'mutantActivation' && value === 'static')) return new ThreadsPoolWorker(options);
    KeptThread.#kept ??= new KeptThread(options);
    return KeptThread.#kept;
  }

  override on(event: string, listener: (message: unknown) => void): void {
    this.#listeners.push([event, listener]);
    super.on(event, listener);
  }

  override async start(): Promise<void> {
    if (!this.#isStarted) await super.start();
  }

  override send(message: WorkerRequest): void {
    if ('type' in message && message.type === 'stop') this.#answer('stopped');
    else if ('type' in message && message.type === 'start' && this.#isStarted) this.#answer('started');
    else if ('type' in message && message.type === 'run') {
      // the names of the tests differ for each mutant
      super.send({ ...message, context: Object.assign(message.context, { config: this.#options.project.serializedConfig }) });
    } else super.send(message);
    this.#isStarted = true;
  }

  override async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) super.off(event, listener);
    this.#listeners = [];
  }

  #answer(type: 'started' | 'stopped'): void {
    const listeners = this.#listeners.filter(([event]) => event === 'message');
    queueMicrotask(() => {
      for (const [, listener] of listeners) listener({ type, __vitest_worker_response__: true });
    });
  }
}

const { MUTATION_TESTS: tests = '' } = process.env;

/** The tests that `stryker.config.mjs` names, on the source itself: they do not run the compiled program. */
export default defineConfig({
  plugins: [
    {
      name: 'kept-thread',
      configureVitest: ({ project }) => {
        project.config.pool = 'kept-thread';
        project.config.poolRunner = { name: 'kept-thread', createPoolWorker: KeptThread.of };
      },
    },
  ],
  test: {
    include: tests.split(' '),
    // hosts run compiled modules, and processes and tests of speed take too long
    exclude: ['test/rewrite/{hosts,limits}.test.ts', 'test/diff/speed.test.ts', '**/*.system.test.ts'],
    setupFiles: ['test/support/short-properties.ts'],
    provide: { proof: '' },
    isolate: false,
    sequence: { sequencer: FastestFirst },
    testTimeout: 60_000,
  },
});
