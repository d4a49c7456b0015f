const ASSIGNMENT = /^\s*window\.[\w.$]+\s*=\s*/;

/** How long an assignment may be. */
const LONGEST = 200;

/** A text in pieces without the assignment to a variable that it may begin with, `window.YTD.account.part0 = `. */
export async function* stripAssignment(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let start: string | undefined = '';
  for await (const piece of pieces) {
    if (start === undefined) {
      yield piece;
      continue;
    }
    start += piece;
    if (start.length < LONGEST) continue;
    yield start.replace(ASSIGNMENT, '');
    start = undefined;
  }
  if (start !== undefined) yield start.replace(ASSIGNMENT, '');
}
