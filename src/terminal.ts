import { FAILURES, Failure } from './contract/failure.ts';
import { encodeJson, isObject } from './contract/json.ts';

/** The parts of a process that a command uses; a test gives its own. */
export interface ProcessIO {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: { [name: string]: string | undefined };
  /** Whether warnings of deprecated interfaces are kept from people, who cannot mend them. */
  noDeprecation?: boolean;
  readonly once: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string, done?: () => void) => unknown;
  readonly on?: (event: 'error', listener: (error: Error) => void) => unknown;
}

/** A line for people. `verbatim` goes out as it is: it has no control characters but those that are meant. */
export type Line = string | { readonly verbatim: string };

/** Whether a command speaks to machines, and whether at all. */
export interface OutputMode {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
}

/** How long something takes before its progress is shown, and how often it is shown then, in milliseconds. */
const PROGRESS_DELAY_MS = 1000;
const PROGRESS_INTERVAL_MS = 100;
/** How many characters of a summary are written at once. */
const CHUNK_CHARACTERS = 1 << 12;

const COLORS = { red: 31, yellow: 33 } as const;

/**
 * What people and machines read: summaries on standard output, progress and errors on standard error. Every text for people
 * passes {@link printable} here: a file name can hold escape sequences and line breaks.
 */
export class Terminal {
  /** What the process is to exit with. */
  exitCode = 0;
  readonly surroundings: ProcessIO;
  #voice: OutputMode = {};
  #hasOutputFailed = false;

  constructor(surroundings: ProcessIO) {
    this.surroundings = surroundings;
    surroundings.stdout.on?.('error', (error) => this.#outputFailed(error));
    // where errors cannot be written there is nowhere to say so
    surroundings.stderr.on?.('error', () => {});
  }

  /** Waits until standard output has taken what was written, or failed to. */
  async flushed(): Promise<void> {
    const { stdout } = this.surroundings;
    if (stdout.on !== undefined) await new Promise<void>((done) => stdout.write('', done));
  }

  #outputFailed(error: Error): void {
    // a reader that has seen enough, such as head, is no failure
    const isClosed = 'code' in error && error.code === 'EPIPE';
    if (isClosed || this.#hasOutputFailed) return;
    this.#hasOutputFailed = true;
    const exitCode = this.exitCode;
    this.failure(
      new Failure('file-system', 'cannot write standard output', {
        expected: 'a file with room, or a program that reads',
        found: error.message,
        hint: 'look at where the output goes; what the command itself did is done',
      }),
    );
    this.exitCode = exitCode || this.exitCode;
  }

  /** Sets how the command at hand is to speak. */
  setOutput(voice: OutputMode): void {
    this.#voice = voice;
  }

  /**
   * A command's result: one JSON object for machines, lines for people. A field of the object may be a list that is
   * made as it is written, as may be the lines: there can be hundreds of thousands of items.
   */
  summary(result: object, lines: Iterable<Line>): void {
    if (this.#voice.json) this.#writeAll(jsonTexts(result));
    else if (!this.#voice.quiet) this.#writeAll(lineTexts(lines));
  }

  /** Writes texts in pieces of which none is large. */
  #writeAll(texts: Iterable<string>): void {
    let piece = '';
    for (const text of texts) {
      piece += text;
      if (piece.length < CHUNK_CHARACTERS) continue;
      this.surroundings.stdout.write(piece);
      piece = '';
    }
    if (piece !== '') this.surroundings.stdout.write(piece);
  }

  /** How many columns a line of a summary may take. */
  get columns(): number {
    return this.surroundings.stdout.columns ?? 80;
  }

  /** Whether a summary may be in colour. */
  get hasColor(): boolean {
    const { stdout, env } = this.surroundings;
    return stdout.isTTY === true && !env['NO_COLOR'];
  }

  /** Something a person should know that is no failure. */
  warn(line: string): void {
    if (!this.#voice.quiet) this.surroundings.stderr.write(`${this.#paint('yellow', 'warning:')} ${printable(line)}\n`);
  }

  /** Words an error: for people on standard error, for machines also as an object on standard output. */
  failure(error: unknown): void {
    const { stdout, stderr } = this.surroundings;
    const isKnown = error instanceof Failure;
    this.exitCode = isKnown ? FAILURES[error.code] : 1;
    if (!isKnown) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      stderr.write(`${this.#paint('red', 'error:')} ${text.split('\n').map(printable).join('\n')}\n`);
      stderr.write('this is a fault of palimpsest: please report it with the lines above\n');
      return;
    }
    const { code, message, place, expected, found, hint } = error;
    if (this.#voice.json && !this.#hasOutputFailed)
      stdout.write(`${encodeJson({ error: { code, message, ...place, expected, found, hint } })}\n`);
    const where = [place.file, place.line === undefined ? undefined : `line ${place.line}`, place.field].filter(
      (part) => part !== undefined,
    );
    stderr.write(`${this.#paint('red', 'error:')} ${printable(message)} (${code})\n`);
    for (const [label, text] of [
      ['where', where.join(', ')],
      ['expected', expected],
      ['found', found],
      ['try', hint],
    ]) {
      if (text) stderr.write(`  ${String(label).padEnd(9)} ${printable(text)}\n`);
    }
  }

  /**
   * A line of progress that is rewritten in place: on a terminal only, and only for what takes its time.
   * @param amount words how much is done, or is to be done
   */
  progress(
    label: string,
    amount: (value: number) => string = number,
  ): { readonly show: (done: number, all: number) => void; readonly end: () => void } {
    const { stderr } = this.surroundings;
    let started: number | undefined;
    let shown = 0;
    if (!stderr.isTTY || this.#voice.quiet) return { show: () => {}, end: () => {} };
    return {
      show: (done, all) => {
        const now = performance.now();
        started ??= now;
        if (now - started < PROGRESS_DELAY_MS || now - shown < PROGRESS_INTERVAL_MS) return;
        shown = now;
        const left = done === 0 ? '' : `, ${seconds(((now - started) / done) * Math.max(0, all - done))} left`;
        const share = all === 0 ? amount(done) : `${Math.min(100, Math.floor((done / all) * 100))} % of ${amount(all)}`;
        stderr.write(`\r\u001b[K${printable(label)} ${share}${all === 0 ? '' : left}`.slice(0, (stderr.columns ?? 80) + 4));
      },
      end: () => {
        if (shown > 0) stderr.write('\r\u001b[K');
      },
    };
  }

  #paint(color: keyof typeof COLORS, text: string): string {
    const { stderr, env } = this.surroundings;
    return stderr.isTTY && !env['NO_COLOR'] ? `\u001b[1;${COLORS[color]}m${text}\u001b[0m` : text;
  }
}

/** What commander words of wrong usage, with a suggestion on a line of its own. */
export function usageText(text: string): string {
  const [, message = text, suggestion = ''] = /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? [];
  return `${printable(message)}${suggestion}\n`;
}

function* lineTexts(lines: Iterable<Line>): Generator<string> {
  for (const line of lines) yield `${typeof line === 'string' ? printable(line) : line.verbatim}\n`;
}

/** An object's JSON and a line's end, one text after another; a field's items one by one. */
function* jsonTexts(object: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${encodeJson(name)}:`;
    before = ',';
    if (isMadeAsWritten(value)) yield* listTexts(value);
    else yield encodeJson(value);
  }
  yield before === '{' ? '{}\n' : '}\n';
}

function* listTexts(items: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + encodeJson(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isMadeAsWritten(value: unknown): value is Iterable<unknown> {
  return isObject(value) && Symbol.iterator in value;
}

/** A whole number as people read it. By hand, because to load a language's rules takes 10 ms of every command. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count of things, with the noun for one of them. */
export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of bytes as people read it. */
export function size(bytes: number): string {
  if (bytes < 1e3) return plural(bytes, 'byte');
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value < 10 ? value.toFixed(1) : number(Math.round(value))} ${unit}`;
}

/** A time in milliseconds as people read it. */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** A text without what would move a terminal's cursor or change its colours. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
