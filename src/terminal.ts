import { FAILURES, Failure } from './contract/failure.ts';
import { encodeJson, isObject } from './contract/json.ts';

/** The parts of a process that a command uses; tests replace them. */
export interface ProcessIO {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: { [name: string]: string | undefined };
  /** Whether Node.js suppresses deprecation warnings, which a user cannot act on. */
  noDeprecation?: boolean;
  readonly once: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string, done?: () => void) => unknown;
  readonly on?: (event: 'error', listener: (error: Error) => void) => unknown;
}

/** A line of text output. A `verbatim` text is written unchanged: any control characters in it are intended. */
export type Line = string | { readonly verbatim: string };

/** The output options of a command: JSON instead of text, or only errors. */
export interface OutputMode {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
}

/** The time before progress is first shown, and the time between two updates, in milliseconds. */
const PROGRESS_DELAY_MS = 1000;
const PROGRESS_INTERVAL_MS = 100;
/** The minimum size of one write of a summary, in characters. */
const CHUNK_CHARACTERS = 1 << 12;

const COLORS = { red: 31, yellow: 33 } as const;

/**
 * Writes summaries to standard output, and progress and errors to standard error. All text output passes
 * {@link printable}, because a file name can contain escape sequences and line breaks.
 */
export class Terminal {
  /** The exit code for the process. */
  exitCode = 0;
  readonly io: ProcessIO;
  #outputMode: OutputMode = {};
  #hasOutputFailed = false;

  constructor(io: ProcessIO) {
    this.io = io;
    io.stdout.on?.('error', (error) => this.#outputFailed(error));
    // a failure to write to standard error cannot be reported anywhere
    io.stderr.on?.('error', () => {});
  }

  /** Waits until all data is written to standard output, or the write has failed. */
  async flushed(): Promise<void> {
    const { stdout } = this.io;
    if (stdout.on !== undefined) await new Promise<void>((done) => stdout.write('', done));
  }

  #outputFailed(error: Error): void {
    // a reader may stop early, as head does; that is not a failure
    const isClosed = 'code' in error && error.code === 'EPIPE';
    if (isClosed || this.#hasOutputFailed) return;
    this.#hasOutputFailed = true;
    const exitCode = this.exitCode;
    this.failure(
      new Failure('file-system', 'cannot write to standard output', {
        expected: 'a file with free space, or a program that reads the output',
        found: error.message,
        hint: 'check the destination of the output; the command itself is complete',
      }),
    );
    this.exitCode = exitCode || this.exitCode;
  }

  /** Sets the output options of the current command. */
  setOutput(outputMode: OutputMode): void {
    this.#outputMode = outputMode;
  }

  /**
   * Writes a command's result: one JSON object with --json, otherwise the lines. The lines and any list in the object may
   * be generators: there can be hundreds of thousands of items.
   */
  summary(result: object, lines: Iterable<Line>): void {
    if (this.#outputMode.json) this.#writeAll(jsonTexts(result));
    else if (!this.#outputMode.quiet) this.#writeAll(lineTexts(lines));
  }

  /** Writes texts in chunks of limited size. */
  #writeAll(texts: Iterable<string>): void {
    let chunk = '';
    for (const text of texts) {
      chunk += text;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      this.io.stdout.write(chunk);
      chunk = '';
    }
    if (chunk !== '') this.io.stdout.write(chunk);
  }

  /** The maximum width of a line of a summary, in columns. */
  get columns(): number {
    return this.io.stdout.columns ?? 80;
  }

  /** Whether a summary may use colors. */
  get hasColor(): boolean {
    const { stdout, env } = this.io;
    return stdout.isTTY === true && !env['NO_COLOR'];
  }

  /** Writes a warning to standard error. */
  warn(line: string): void {
    if (!this.#outputMode.quiet) this.io.stderr.write(`${this.#paint('yellow', 'warning:')} ${printable(line)}\n`);
  }

  /** Writes an error to standard error, and with --json also as an object to standard output. Sets the exit code. */
  failure(error: unknown): void {
    const { stdout, stderr } = this.io;
    const isKnown = error instanceof Failure;
    this.exitCode = isKnown ? FAILURES[error.code] : 1;
    if (!isKnown) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      stderr.write(`${this.#paint('red', 'error:')} ${text.split('\n').map(printable).join('\n')}\n`);
      stderr.write('this is a bug in palimpsest: please report it with the lines above\n');
      return;
    }
    const { code, message, place, expected, found, hint, others, unlisted } = error;
    if (this.#outputMode.json && !this.#hasOutputFailed) {
      const more = others.length + unlisted === 0 ? {} : { others: others.map(detailsOf), unlisted };
      stdout.write(`${encodeJson({ error: { ...detailsOf(error), ...more } })}\n`);
    }
    stderr.write(`${this.#paint('red', 'error:')} ${printable(message)} (${code})\n`);
    for (const [label, text] of [
      ['where', whereText(place)],
      ['expected', expected],
      ['found', found],
      ['try', hint],
      ...otherErrors(others, unlisted).map((text) => ['also', text]),
    ]) {
      if (text) stderr.write(`  ${String(label).padEnd(9)} ${printable(text)}\n`);
    }
  }

  /**
   * Shows a progress line that is updated in place. It is shown only on a terminal, and only after one second.
   * @param amount formats the amount that is done, or the total
   */
  progress(
    label: string,
    amount: (value: number) => string = number,
  ): { readonly show: (done: number, all: number) => void; readonly end: () => void } {
    const { stderr } = this.io;
    let started: number | undefined;
    let shown = 0;
    if (!stderr.isTTY || this.#outputMode.quiet) return { show: () => {}, end: () => {} };
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
    const { stderr, env } = this.io;
    return stderr.isTTY && !env['NO_COLOR'] ? `\u001b[1;${COLORS[color]}m${text}\u001b[0m` : text;
  }
}

/** The maximum number of further errors in the text output. */
const PRINTED_ERRORS = 20;

/** Returns one line for each further error of a run. */
function otherErrors(others: readonly Failure[], unlisted: number): string[] {
  const lines = others.slice(0, PRINTED_ERRORS).map(({ code, place, found }) => `${whereText(place)}: ${found} (${code})`);
  const left = others.length - lines.length + unlisted;
  return left === 0 ? lines : [...lines, plural(left, 'more error')];
}

function whereText({ file, line, field }: Failure['place']): string {
  return [file, line === undefined ? undefined : `line ${line}`, field].filter((part) => part !== undefined).join(', ');
}

function detailsOf({ code, message, place, expected, found, hint }: Failure): object {
  return { code, message, ...place, expected, found, hint };
}

/** Makes commander's message about wrong usage printable, and keeps its suggestion on a separate line. */
export function usageText(text: string): string {
  const [, message = text, suggestion = ''] = /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? [];
  return `${printable(message)}${suggestion}\n`;
}

function* lineTexts(lines: Iterable<Line>): Generator<string> {
  for (const line of lines) yield `${typeof line === 'string' ? printable(line) : line.verbatim}\n`;
}

/** Yields an object's JSON and a line break in parts. The items of a generated list are separate parts. */
function* jsonTexts(object: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}${encodeJson(name)}:`;
    before = ',';
    if (isGenerated(value)) yield* listTexts(value);
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

function isGenerated(value: unknown): value is Iterable<unknown> {
  return isObject(value) && Symbol.iterator in value;
}

/** Formats a whole number with thousands separators. Does not use Intl, because loading it costs every command 10 ms. */
export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun, in the singular or plural. */
export function plural(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a number of bytes with a decimal unit. */
export function size(bytes: number): string {
  if (bytes < 1e3) return plural(bytes, 'byte');
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value < 10 ? value.toFixed(1) : number(Math.round(value))} ${unit}`;
}

/** Formats a duration that is given in milliseconds. */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** Escapes control characters, which would move a terminal's cursor or change its colors. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
