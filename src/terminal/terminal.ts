import { FAILURES, Failure } from '../contract/failure.ts';
import { type Color, hasColor, painted } from './color.ts';
import { defectLines, failureJson, failureLines } from './failure-text.ts';
import { jsonTexts } from './json-text.ts';
import { printable } from './printable.ts';
import type { ProcessIO } from './process-io.ts';
import { Progress } from './progress.ts';

/** A line of text output. A `verbatim` text is written unchanged: any control characters in it are intended. */
export type Line = string | { readonly verbatim: string };

/** The output options of a command: JSON instead of text, or only errors. */
export interface OutputMode {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
}

/** The minimum size of one write of a summary, in characters. */
const CHUNK_CHARACTERS = 1 << 12;

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
    return hasColor(this.io.stdout, this.io.env);
  }

  /** Writes a warning to standard error. */
  warn(line: string): void {
    if (!this.#outputMode.quiet) this.io.stderr.write(`${this.#paint('yellow', 'warning:')} ${printable(line)}\n`);
  }

  /** Writes an error to standard error, and with --json also as an object to standard output. Sets the exit code. */
  failure(error: unknown): void {
    const isKnown = error instanceof Failure;
    this.exitCode = isKnown ? FAILURES[error.code] : 1;
    if (isKnown && this.#outputMode.json && !this.#hasOutputFailed) this.io.stdout.write(`${failureJson(error)}\n`);
    const lines = isKnown ? failureLines(error) : defectLines(error);
    this.io.stderr.write(`${this.#paint('red', 'error:')} ${lines.join('\n')}\n`);
  }

  /**
   * Returns a progress line, which is shown only on a terminal.
   * @param amount formats the amount that is done, or the total
   */
  progress(label: string, amount?: (value: number) => string): Pick<Progress, 'show' | 'end'> {
    const { stderr } = this.io;
    if (!stderr.isTTY || this.#outputMode.quiet) return { show: () => {}, end: () => {} };
    return new Progress(stderr, label, amount);
  }

  #paint(color: Color, text: string): string {
    return hasColor(this.io.stderr, this.io.env) ? painted(color, text) : text;
  }
}

function* lineTexts(lines: Iterable<Line>): Generator<string> {
  for (const line of lines) yield `${typeof line === 'string' ? printable(line) : line.verbatim}\n`;
}
