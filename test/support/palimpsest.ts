import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The program that users start. */
export const BIN = fileURLToPath(new URL('../../bin/palimpsest.js', import.meta.url));

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

/**
 * Runs the program and expects it to succeed. Returns the object that --json prints. The command runs in this process, which
 * saves the start of a process, unless the options ask for a process.
 */
export async function palimpsestJson(args: readonly string[], options: RunOptions = {}): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runHere([...args, '--json'], options);
  if (code !== 0) throw new Error(`palimpsest ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** The commands that run in this process at the moment, and the environment that all of them share. */
let [running, shared] = [0, ''];

/** Runs a command in this process, or in a process of its own if it needs one: Node.js reads some variables when it starts. */
async function runHere(args: readonly string[], options: RunOptions): Promise<Omit<Finished, 'signal'>> {
  const { env = {}, input = '', program, cwd, uid, onStart, ownProcess } = options;
  const environment = JSON.stringify(env);
  const isPlain = program === undefined && cwd === undefined && uid === undefined && onStart === undefined && !ownProcess;
  const isKnown = Object.keys(env).every((name) => /^(?:PALIMPSEST|AWS|AZURE)_/.test(name));
  if (!isPlain || !isKnown || (running > 0 && environment !== shared)) return palimpsest(args, options);
  const before = { ...process.env };
  running += 1;
  shared = environment;
  // the clients of object stores read the environment of the process
  Object.assign(process.env, env);
  const [stdout, stderr] = [new Collected(), new Collected()];
  try {
    // the compiled program, which also bin/palimpsest.js runs
    const { run } = await import('../../dist/cli.js');
    const io = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr, env: { ...process.env }, once: () => {} };
    const code: number = await run([process.execPath, BIN, ...args], io);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    running -= 1;
    for (const name of running === 0 ? Object.keys(env) : []) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
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
