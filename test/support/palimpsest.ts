import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { ProcessIO } from '../../src/terminal/process-io.ts';

/** The program, compiled from the source of this checkout. */
export const PROGRAM: string = inject('program');
/** What users start, with that program. */
export const BIN: string = `${PROGRAM}/bin/palimpsest.js`;
/** The same in the checkout, where hints show it as users do: `node bin/palimpsest.js`. */
const IN_CHECKOUT = fileURLToPath(new URL('../../bin/palimpsest.js', import.meta.url));

/** The warning of the first run at a target. */
export const NEW_TARGET: RegExp = /^warning: .* is a new target: .*\n$/;

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The program, if it is not the one of this checkout. */
  readonly program?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input of the program. */
  readonly input?: string | Uint8Array;
  /** The user of the program, if it differs from that of this process. Only root may set it. */
  readonly uid?: number | undefined;
  /** Called with the process as soon as it runs, for example to kill it. */
  readonly onStart?: (process: ChildProcess) => void;
  /** Runs a process also where this process could run the command: the test does something else at the same time. */
  readonly ownProcess?: boolean;
  /** Parts of the process that a command gets here instead of the usual ones: a stream that fails, or signals. */
  readonly io?: Partial<ProcessIO>;
}

/** Runs the program to its end. */
export function palimpsest(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [options.program ?? BIN, ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      uid: options.uid,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => {}); // a test can kill the program while it reads
    child.stdin.end(options.input ?? '');
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    options.onStart?.(child);
  });
}

/** Runs the program and expects it to succeed. Returns the object that --json prints. */
export async function palimpsestJson<T = Record<string, unknown>>(args: readonly string[], options: RunOptions = {}): Promise<T> {
  const { code, stdout, stderr } = await palimpsestHere([...args, '--json'], options);
  if (code !== 0) throw new Error(`palimpsest ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** The commands that run in this process at the moment, and the folder and environment that all of them share. */
let [running, shared] = [0, ''];
/** The folder and environment of this process while no command runs. */
let [folder, before]: [string, NodeJS.ProcessEnv] = ['', {}];

/**
 * Runs the compiled program to its end in this process, which is much faster than to start a process. Starts one only if the
 * options ask for it, or if commands that already run here have another folder or environment.
 */
export async function palimpsestHere(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { env = {}, input = '', cwd } = options;
  const surroundings = JSON.stringify([cwd, env]);
  if (needsProcess(options) || (running > 0 && surroundings !== shared)) return palimpsest(args, options);
  if (running === 0) [folder, before] = [process.cwd(), { ...process.env }];
  running += 1;
  shared = surroundings;
  if (cwd !== undefined) process.chdir(cwd);
  // the clients of object stores read the environment of the process
  Object.assign(process.env, env);
  const [stdout, stderr] = [new Collected(), new Collected()];
  try {
    // what bin/palimpsest.js runs; hidden from `vitest --changed`, because each test would depend on each module
    const { run }: typeof import('../../src/cli.ts') = await import(`${PROGRAM}/dist/cli.js`);
    const stdin = Readable.from([Buffer.from(input)]);
    const io = { stdin, stdout, stderr, env: { ...process.env }, once: () => {}, cwd: () => process.cwd(), ...options.io };
    const code: number = await run([process.execPath, cwd === undefined ? IN_CHECKOUT : BIN, ...args], io);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    running -= 1;
    if (running === 0) {
      process.chdir(folder);
      for (const name of Object.keys(env)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  }
}

/** The variables that a command reads while it runs. Node.js and other libraries read some only once, when a process starts. */
export const READ_LATE: RegExp = /^(?:PALIMPSEST_.*|AWS_.*|AZURE_.*|GITHUB_STEP_SUMMARY)$/;

/** Whether a command needs a process of its own. */
function needsProcess({ program, uid, onStart, ownProcess, env = {} }: RunOptions): boolean {
  const isReadLate = Object.keys(env).every((name) => READ_LATE.test(name));
  return program !== undefined || uid !== undefined || onStart !== undefined || ownProcess === true || !isReadLate;
}

/** Collects what a command writes to an output. */
class Collected {
  readonly #chunks: Buffer[] = [];

  write(data: string | Uint8Array, done?: () => void): void {
    this.#chunks.push(Buffer.from(data));
    done?.();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
