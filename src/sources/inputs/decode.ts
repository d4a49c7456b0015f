import { Failure } from '../../contract/failure.ts';
import { type HintCommand, plainCommand, type Verb } from '../hint-command.ts';
import { readFailure } from '../rejects/rejection.ts';
import type { Input } from '../source.ts';
import { decompressed } from '../unpack/decompression.ts';
import { headOf, resumed } from '../unpack/head.ts';
import { encodingIn, HEAD_BYTES, type Unsupported, unsupportedIn } from './unsupported.ts';

/** The command that reads a source, for the hints. */
export interface ReadingCommand {
  readonly verb: Verb;
  readonly command: HintCommand;
}

/**
 * Yields the text of an input in pieces. Decompresses it and removes a byte order mark.
 * @throws Failure bad-encoding if the bytes are not UTF-8 or are of an unsupported format, or if compressed data is damaged or
 *   cut short; bad-json if the text is of a known format that is not JSON; no-tool; bad-source if reading fails
 */
export async function* decode(
  input: Input,
  { verb, command }: ReadingCommand = { verb: 'import', command: plainCommand },
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let last: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of plainBytes(input, (head) => unsupportedIn(head, input, verb, command))) {
      bytes += chunk.length;
      last = chunk;
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    throw unreadable(input, cause, () => ({ bytes, ...encodingIn(last, input, verb, command) }));
  }
}

/** The format of a source is unsupported. */
class UnsupportedSource extends Error {
  readonly format: Unsupported;

  constructor(format: Unsupported) {
    super(format.kind);
    this.format = format;
  }
}

type Detect = (head: Buffer) => Unsupported | undefined;

/** Yields the bytes without their compression. */
async function* plainBytes(input: Input, detect: Detect): AsyncGenerator<Uint8Array> {
  const plain = decompressed(input);
  try {
    yield* checked(await headOf(plain, 2), plain, detect);
  } finally {
    await plain.return(undefined);
  }
}

/** @throws UnsupportedSource if the first bytes are not the start of JSON and show another format */
async function* checked(start: Buffer, rest: AsyncIterator<Uint8Array>, detect: Detect): AsyncGenerator<Uint8Array> {
  let head = start;
  if (!isLikeJson(head)) {
    head = await headOf(rest, HEAD_BYTES, head);
    const unsupported = detect(head.subarray(0, HEAD_BYTES));
    if (unsupported !== undefined) throw new UnsupportedSource(unsupported);
  }
  yield* resumed(head, rest);
}

/** Whether bytes start like JSON in UTF-8, and not like UTF-16 or UTF-32. */
function isLikeJson(head: Buffer): boolean {
  return (head[0] === 0x7b || head[0] === 0x5b) && head[1] !== 0;
}

interface Encoding {
  /** How many bytes were read. */
  readonly bytes: number;
  readonly kind: string;
  readonly hint: string;
}

function unreadable(input: Input, cause: unknown, encoding: () => Encoding): Failure {
  if (cause instanceof Failure) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const place = { file: input.name };
  if (cause instanceof UnsupportedSource) {
    const { kind, hint, isText, line, beginning } = cause.format;
    return isText
      ? new Failure('bad-json', `${input.name} is ${kind}`, {
          place: { ...place, line },
          expected: 'JSON',
          found: `${kind}: ${beginning}`,
          hint,
        })
      : new Failure('bad-encoding', `${input.name} is ${kind}`, {
          place,
          expected: 'JSON in UTF-8, which may be compressed',
          found: kind,
          hint,
        });
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    const { bytes, kind, hint } = encoding();
    return new Failure('bad-encoding', `${input.name} is not UTF-8`, {
      place,
      expected: 'UTF-8 text',
      found: `invalid bytes among the first ${bytes}; the text is ${kind}`,
      hint,
      cause,
    });
  }
  return readFailure(input.name, cause);
}
