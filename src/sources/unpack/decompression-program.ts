import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A program that did not read its input to the end. */
export class ProgramError extends Error {
  /** Only a program that failed itself says something about its input. The others did not start, or were ended from outside. */
  readonly kind: 'not installed' | 'not started' | 'killed' | 'failed';

  constructor(kind: ProgramError['kind'], message: string) {
    super(message);
    this.kind = kind;
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
  const child = await started(command, args);
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
  const ended = once(child, 'close');
  ended.catch(() => {});
  try {
    for await (const piece of child.stdout) yield piece;
    const [code, signal] = await ended;
    await feeding;
    if (sourceError !== undefined) throw sourceError;
    if (signal !== null) throw new ProgramError('killed', `${command} was ended by ${signal}`);
    if (code !== 0) throw new ProgramError('failed', firstLine(message) ?? `exit code ${code}`);
  } catch (error) {
    throw sourceError ?? error;
  } finally {
    source.destroy();
    child.kill();
    await feeding;
  }
}

/** @throws ProgramError */
async function started(command: string, args: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  try {
    // a group of its own: Ctrl-C in a terminal stops this process in order, and must not make the data look cut short
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: process.platform !== 'win32', windowsHide: true });
    if (child.pid !== undefined) return child;
    const [error] = await once(child, 'error');
    throw error;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new ProgramError(isMissing ? 'not installed' : 'not started', error instanceof Error ? error.message : String(error));
  }
}

/** Yields the bytes. A stream throws its own errors into this generator: they are not errors of the bytes. */
async function* withError(bytes: AsyncIterable<Uint8Array>, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  const next = () =>
    pieces.next().catch((error: unknown) => {
      onError(error);
      throw error;
    });
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
  } finally {
    await pieces.return?.();
  }
}

function firstLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
}
