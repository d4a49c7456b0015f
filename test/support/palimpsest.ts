import { type ChildProcess, spawn } from 'node:child_process';
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
export async function palimpsestJson(args: readonly string[], options: RunOptions = {}): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await palimpsest([...args, '--json'], options);
  if (code !== 0) throw new Error(`palimpsest ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}
