import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, pipeline as streamPipeline, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { codeOf, Failure } from '../../contract/failure.ts';
import { countPacked, DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import type { Input } from '../source.ts';
import { headOf, resumed } from './detect-format.ts';

/** A format of compressed data, which may be several compressed files in a row. */
interface Compression {
  readonly name: string;
  readonly isAt: (head: Buffer) => boolean;
  /** Throws the errors of the bytes unchanged, and an error with the code `Z_…` or a ProgramError if the data is broken. */
  readonly decompress: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** How to install the program that decompresses; undefined if Node.js does. */
  readonly install?: string;
}

/** How many bytes are needed to detect a compression. */
const SIGNATURE_BYTES = 6;

const startsWith = (signature: string) => (head: Buffer) => head.subarray(0, signature.length).toString('latin1') === signature;
const by =
  (command: string, ...args: readonly string[]) =>
  (bytes: AsyncIterable<Uint8Array>) =>
    throughProgram(command, args, bytes);
const packages = (debian: string, other = debian) => `apt install ${debian}, dnf install ${other} or brew install ${other}`;

/**
 * The supported compressions. Programs of the system decompress bzip2, xz and Zstandard. They are several times as fast as
 * JavaScript, use another core and need no native addon. A process costs about 5 ms, and decompressing one minute of
 * the Twitter stream (1 MB) takes a hundred times as long.
 */
const COMPRESSIONS: readonly Compression[] = [
  { name: 'gzip', isAt: startsWith('\x1f\x8b'), decompress: (bytes) => piped(bytes, createGunzip({ chunkSize: 1 << 18 })) },
  {
    name: 'bzip2',
    isAt: (head) => /^BZh[1-9]/.test(head.toString('latin1')),
    decompress: by('bzip2', '-dc'),
    install: packages('bzip2'),
  },
  { name: 'xz', isAt: startsWith('\xfd7zXZ\0'), decompress: by('xz', '-dc'), install: packages('xz-utils', 'xz') },
  {
    name: 'Zstandard',
    isAt: (head) => startsWith('\x28\xb5\x2f\xfd')(head) || isSkippableFrame(head),
    // archives of social media often use a window of 2 GB
    decompress: by('zstd', '-dcq', '--long=31'),
    install: packages('zstd'),
  },
];

/**
 * Yields the bytes of an input without their compression, or as they are if they are not compressed.
 * @throws Failure bad-encoding if the compressed data is damaged, is cut short or expands too much; no-tool if the program
 *   that decompresses is not installed; tool-failed if it cannot start or is killed; and the errors of the input
 */
export async function* decompressed(input: Pick<Input, 'name' | 'open' | 'expansion'>): AsyncGenerator<Uint8Array> {
  const pieces = input.open()[Symbol.asyncIterator]();
  try {
    const head = await headOf(pieces, SIGNATURE_BYTES);
    const compression = COMPRESSIONS.find(({ isAt }) => isAt(head));
    const bytes = resumed(head, pieces);
    yield* compression === undefined ? bytes : expanded(input, compression, bytes);
  } finally {
    // a run can meet thousands of unsupported files: each is closed
    await pieces.return?.();
  }
}

/** Whether bytes start a frame that Zstandard skips: some programs write one before the data. */
function isSkippableFrame(head: Buffer): boolean {
  return head.length >= 4 && head.readUInt32LE(0) >>> 4 === 0x184d2a5;
}

/** Whether the bytes of a file are compressed. */
export function isCompressed(head: Buffer): boolean {
  return COMPRESSIONS.some(({ isAt }) => isAt(head));
}

async function* expanded(
  { name, expansion }: Pick<Input, 'name' | 'expansion'>,
  { name: kind, decompress, install }: Compression,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const own = new DecompressionLimit(name, expansion);
  try {
    for await (const piece of decompress(countPacked(bytes, own))) {
      own.addPlain(piece.length);
      yield piece;
    }
  } catch (error) {
    throw toFailure(error, name, kind, install);
  }
}

function toFailure(error: unknown, file: string, kind: string, install: string | undefined): unknown {
  if (error instanceof ProgramError && error.kind === 'not installed') {
    return new Failure('no-tool', `${file} is ${kind} data, and no program that decompresses it is installed`, {
      place: { file },
      expected: `the program that decompresses ${kind} data`,
      found: error.message,
      hint: `install it (${install}), then run the same command again`,
      cause: error,
    });
  }
  if (error instanceof ProgramError && error.kind !== 'failed') {
    return new Failure('tool-failed', `${file} was not decompressed to its end`, {
      place: { file },
      expected: `a program that decompresses ${kind} data to the end`,
      found: error.message,
      hint: 'check the free memory and the permitted number of processes, then run the same command again',
      cause: error,
    });
  }
  const isBroken = error instanceof ProgramError || (error instanceof Error && codeOf(error)?.startsWith('Z_'));
  if (!isBroken) return error;
  return new Failure('bad-encoding', `${file} is damaged ${kind} data`, {
    place: { file },
    expected: `a complete ${kind} file`,
    found: error.message,
    hint: 'download or compress the file again',
    cause: error,
  });
}

/** Returns what a stream makes of bytes. An error of either ends the iteration. If the reader stops early, both streams end. */
export function piped(bytes: AsyncIterable<Uint8Array>, plain: Transform): AsyncIterable<Uint8Array> {
  return streamPipeline(Readable.from(bytes, { objectMode: false }), plain, () => {});
}

/** A program that did not read its input to the end. */
class ProgramError extends Error {
  /** Only a program that failed itself says something about its input. The others did not start, or were ended from outside. */
  readonly kind: 'not installed' | 'not started' | 'killed' | 'failed';

  constructor(kind: ProgramError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** How much of the error output of a program is kept, in characters. */
const MAX_MESSAGE = 2000;

/**
 * Yields what a program writes to its standard output when it reads the bytes from its standard input. The program ends with
 * the generator. If this process is killed, the program ends too, because its standard input ends.
 * @throws ProgramError, and the errors of the bytes
 */
async function* throughProgram(command: string, args: readonly string[], bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const child = await started(command, args);
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(0, MAX_MESSAGE);
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
    const isMissing = codeOf(error) === 'ENOENT';
    throw new ProgramError(isMissing ? 'not installed' : 'not started', error instanceof Error ? error.message : String(error));
  }
}

/** Yields the bytes. A stream throws its own errors into this generator: they are not errors of the bytes. */
export async function* withError(bytes: AsyncIterable<Uint8Array>, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
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
