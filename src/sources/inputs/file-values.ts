import { jsonValues } from '../json/json-values.ts';
import { NotJson, type RawValue } from '../json/raw-value.ts';
import { notJson, unreadableInput } from '../rejects/rejection.ts';
import type { Input, InputError } from '../source.ts';
import { decode, type ReadingCommand } from './decode.ts';

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
