/** The text of one JSON value, the line it begins on (from 1) and its path in its document. */
export interface RawValue {
  readonly text: string;
  readonly line: number;
  readonly path: string;
  /** How many elements of `results` were read before as separate values. They are not in the text. */
  readonly elements?: number;
  /** Why there is no value, if that is known before the text is parsed. */
  readonly broken?: NotJson;
}

/** The error for text that does not contain a JSON value. */
export class NotJson extends Error {
  readonly line: number;
  readonly expected: string;
  readonly found: string;
  /** The rest of the text, if it is known. */
  readonly text: string | undefined;
  /** What to do, if correcting the text does not help. */
  readonly hint: string | undefined;

  constructor(line: number, expected: string, found: string, text?: string, hint?: string) {
    super(`expected ${expected}, found ${found}`);
    this.name = 'NotJson';
    this.line = line;
    this.expected = expected;
    this.found = found;
    this.text = text;
    this.hint = hint;
  }
}
