import { codeOf, Failure } from '../../contract/failure.ts';
import type { ReadingCommand } from '../hint-command.ts';
import { jsonValues } from '../json/json-values.ts';
import { NotJson, type RawValue } from '../json/raw-value.ts';
import { notJson, readFailure, unreadableInput } from '../rejects/rejection.ts';
import type { Input, InputError } from '../source.ts';
import { decompressed } from '../unpack/decompression.ts';
import { HEADER_BYTES, headOf, isLikeJson, resumed } from '../unpack/detect-format.ts';
import { decodingHint, unsupportedFormat } from './unsupported.ts';

const ASSIGNMENT = /^\s*window\.[\w.$]+\s*=\s*/;

/** The greatest length of an assignment, in UTF-16 units. */
const MAX_LENGTH = 200;

/** Yields the JSON values of a file in batches. If it is not JSON or cannot be read, the last element is an input error. */
export async function* valuesOf(input: Input, command: ReadingCommand): AsyncGenerator<RawValue[] | InputError> {
  try {
    const text = decode(input, command);
    yield* jsonValues(command.verb === 'observe' ? stripJsAssignment(text) : text);
  } catch (error) {
    yield error instanceof NotJson ? notJson(error, input.name) : unreadableInput(error);
  }
}

/** Removes the JavaScript assignment to a variable (`window.YTD.account.part0 = `) from the start of a text. */
async function* stripJsAssignment(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let start: string | undefined = '';
  for await (const piece of pieces) {
    if (start === undefined) {
      yield piece;
      continue;
    }
    start += piece;
    if (start.length < MAX_LENGTH) continue;
    yield start.replace(ASSIGNMENT, '');
    start = undefined;
  }
  if (start !== undefined) yield start.replace(ASSIGNMENT, '');
}

/**
 * Yields the text of an input in pieces. Decompresses it and removes a byte order mark.
 * @throws Failure bad-encoding if the bytes are not UTF-8 or are of an unsupported format, or if compressed data is damaged or
 *   cut short; bad-json if the text is of a known format that is not JSON; no-tool; bad-source if reading fails
 */
export async function* decode(input: Input, command: ReadingCommand): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const plain = decompressed(input);
  let bytes = 0;
  try {
    let head = await headOf(plain, 2);
    if (!isLikeJson(head)) {
      head = await headOf(plain, HEADER_BYTES, head);
      const failure = unsupportedFormat(head.subarray(0, HEADER_BYTES), input, command);
      if (failure !== undefined) throw failure;
    }
    for await (const chunk of resumed(head, plain)) {
      bytes += chunk.length;
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    if (codeOf(cause) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw readFailure(input.name, cause);
    throw new Failure('bad-encoding', `${input.name} is not UTF-8`, {
      place: { file: input.name },
      expected: 'UTF-8 text',
      found: `invalid bytes among the first ${bytes}; the text is Latin-1, Windows-1252 or damaged`,
      hint: decodingHint(input, command),
      cause,
    });
  } finally {
    await plain.return(undefined);
  }
}
