import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Failure } from '../contract/failure.ts';
import type { Input } from './source.ts';

/**
 * Yields the text of an input in pieces. Decompresses gzip data and removes a byte order mark.
 * @throws Failure bad-encoding if the bytes are not UTF-8, or if the gzip data is broken or cut short;
 *   bad-source if reading fails
 */
export async function* decode(input: Input): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  try {
    for await (const chunk of plainBytes(input.open())) {
      bytes += chunk.length;
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw unreadable(input, bytes, cause);
  }
}

/** The first bytes of the compressed formats that are not supported, each with a hint. */
const UNSUPPORTED = [
  { magic: 'PK', kind: 'a ZIP file', hint: 'unpack it, and pass the unpacked files' },
  { magic: 'WARC/', kind: 'a WARC', hint: 'name the file: a WARC is read twice, which standard input does not allow' },
  { magic: 'BZ', kind: 'bzip2 data', hint: 'decompress it to standard input: bzcat FILE | palimpsest … -' },
] as const;

class UnsupportedCompression extends Error {
  readonly kind: string;
  readonly hint: string;

  constructor({ kind, hint }: { readonly kind: string; readonly hint: string }) {
    super(kind);
    this.kind = kind;
    this.hint = hint;
  }
}

async function* plainBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 5) {
    const piece = await pieces.next();
    if (piece.done) break;
    head = Buffer.concat([head, piece.value]);
  }
  const unsupported = UNSUPPORTED.find(({ magic }) => head.subarray(0, magic.length).toString('latin1') === magic);
  if (unsupported !== undefined) throw new UnsupportedCompression(unsupported);
  const whole = { [Symbol.asyncIterator]: () => resume(head, pieces) };
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzip(whole);
  else yield* whole;
}

async function* resume(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value;
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const plain = createGunzip({ chunkSize: 1 << 18 });
  source.on('error', (error) => plain.destroy(error));
  try {
    yield* source.pipe(plain);
  } finally {
    source.destroy();
    plain.destroy();
  }
}

function unreadable(input: Input, bytes: number, cause: unknown): Failure {
  const { code, message } =
    cause instanceof Error ? { code: 'code' in cause ? String(cause.code) : '', message: cause.message } : { code: '', message: '' };
  const place = { file: input.name };
  if (cause instanceof UnsupportedCompression) {
    const { kind, hint } = cause;
    return new Failure('bad-encoding', `${input.name} is ${kind}`, { place, expected: 'text, or gzip', found: kind, hint });
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new Failure('bad-encoding', `${input.name} is not UTF-8`, {
      place,
      expected: 'UTF-8 text',
      found: `invalid bytes among the first ${bytes}`,
      hint: 'convert it with iconv, or check that it is the right file',
      cause,
    });
  }
  if (code.startsWith('Z_')) {
    return new Failure('bad-encoding', `${input.name} is broken gzip data`, {
      place,
      expected: 'a complete gzip file',
      found: message,
      hint: 'download or compress the file again',
      cause,
    });
  }
  return new Failure('bad-source', `cannot read ${input.name}`, { place, expected: 'a readable file', found: message, cause });
}
