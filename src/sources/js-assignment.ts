const ASSIGNMENT = /^\s*window\.[\w.$]+\s*=\s*/;

/** The greatest length of an assignment, in UTF-16 units. */
const MAX_LENGTH = 200;

/** Removes the JavaScript assignment to a variable (`window.YTD.account.part0 = `) from the start of a text. */
export async function* stripJsAssignment(pieces: AsyncIterable<string>): AsyncGenerator<string> {
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
