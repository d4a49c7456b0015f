import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The program as users start it. */
export const BIN = fileURLToPath(new URL('../../bin/palimpsest.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The program, where another is meant than this checkout's. */
  readonly program?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the program reads on standard input. */
  readonly input?: string | Uint8Array;
  /** Another user than this process's; only root may say so. */
  readonly uid?: number | undefined;
  /** Called with the process as soon as it runs, to kill it for one. */
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
    child.stdin.on('error', () => {}); // it may be killed while it reads
    child.stdin.end(options.input ?? '');
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    options.onStart?.(child);
  });
}

/** Runs the program and expects it to succeed; gives the object that --json prints. */
export async function palimpsestJson(args: readonly string[], options: RunOptions = {}): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await palimpsest([...args, '--json'], options);
  if (code !== 0) throw new Error(`palimpsest ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}
