import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A program that was not found, ended with an error, or was killed. */
export class ProgramError extends Error {
  /** Whether the program is not installed. */
  readonly isMissing: boolean;

  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

/** How much of the error output of a program is kept, in characters. */
const MOST_MESSAGE = 2000;

/**
 * Yields what a program writes to its standard output when it reads the bytes from its standard input. The program ends with
 * the generator. If this process is killed, the program ends too, because its standard input ends.
 * @throws ProgramError, and the errors of the bytes
 */
export async function* throughProgram(command: string, args: readonly string[], bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  // a group of its own: Ctrl-C in a terminal stops this process in order, and must not make the data look cut short
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: process.platform !== 'win32', windowsHide: true });
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(0, MOST_MESSAGE);
  });
  let sourceError: unknown;
  const source = Readable.from(
    withError(bytes, (error) => (sourceError = error)),
    { objectMode: false },
  );
  // a program that ends early closes its input: its exit code tells why
  const feeding = pipeline(source, child.stdin).catch(() => {});
  const ended = Promise.race([once(child, 'close'), once(child, 'error').then(([error]) => Promise.reject(error))]);
  ended.catch(() => {});
  try {
    for await (const piece of child.stdout) yield piece;
    const [code, signal] = await ended;
    await feeding;
    if (sourceError !== undefined) throw sourceError;
    if (code !== 0) throw new ProgramError(firstLine(message) ?? `exit code ${code ?? signal}`, false);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new ProgramError(error.message, true);
    throw sourceError ?? error;
  } finally {
    source.destroy();
    child.kill();
    await feeding;
  }
}

async function* withError(bytes: AsyncIterable<Uint8Array>, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    onError(error);
    throw error;
  }
}

function firstLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}
