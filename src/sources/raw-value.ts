/** The text of one JSON value, the line it begins on (from 1) and its path in its document. */
export interface RawValue {
  readonly text: string;
  readonly line: number;
  readonly path: string;
  /** How many elements of the object's `results` came before it as values of their own; they are not in its text. */
  readonly elements?: number;
  /** Why there is no value here, where that shows before the text is parsed. */
  readonly broken?: NotJson;
}

/** Text in which no value could be found. */
export class NotJson extends Error {
  readonly line: number;
  readonly expected: string;
  readonly found: string;
  /** What was left of the text, where it is known. */
  readonly text: string | undefined;

  constructor(line: number, expected: string, found: string, text?: string) {
    super(`expected ${expected}, found ${found}`);
    this.name = 'NotJson';
    this.line = line;
    this.expected = expected;
    this.found = found;
    this.text = text;
  }
}
