import { type OnProgress, type Pauses, stopped } from '../contract/event-loop-pauses.ts';
import { codeOf, Failure } from '../contract/failure.ts';
import { exitCodeOf } from '../contract/failure-codes.ts';
import { chunks } from '../contract/files/write-files.ts';
import { hintText, type SuggestedCommand, suggested } from '../contract/hint.ts';
import { defect, defectLines, failureJson, failureLines } from './failure-text.ts';
import { Interrupt } from './interrupt.ts';
import { jsonTexts } from './json-text.ts';
import { printable } from './printable.ts';
import type { Output, ProcessIO } from './process-io.ts';
import { type Phases, Progress } from './progress.ts';

/** A line of text output; false if it does not apply. A `verbatim` text is written unchanged: any control characters in it are intended. */
export type Line = string | { readonly verbatim: string } | false;

/** The output options of a command: JSON instead of text, or only findings, errors and requested results. */
export interface OutputMode {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
  /** Whether the summary is the result that was asked for, which a quiet command prints too. */
  readonly hasResult?: boolean;
}

/** The width of an output that is not a terminal, or that does not know its width, in columns. */
const DEFAULT_COLUMNS = 80;
/** Text is not wrapped to fewer columns than this: a narrower terminal wraps it itself. */
const MIN_COLUMNS = 20;
const COLORS = { red: 31, yellow: 33 } as const;

/**
 * Writes summaries to standard output, and progress and errors to standard error. All text output passes
 * {@link printable}, because a file name can contain escape sequences and line breaks.
 */
export class Terminal {
  exitCode = 0;
  readonly io: ProcessIO;
  /** Returns a suggested command as a line that works when it is pasted. */
  render: (command: SuggestedCommand) => string = ({ command }) => `palimpsest ${command}`;
  readonly #interrupt: Interrupt;
  #progress: { readonly clear: () => void; readonly end: () => void } | undefined;
  #outputMode: OutputMode = {};
  #hasOutputFailed = false;
  /** Whether the output is the result itself, which is incomplete if it cannot be written. */
  #isStreaming = false;
  /** Whether the command runs until a signal stops it: then it is complete. */
  #endsByStop = false;
  /** Whether the program that reads standard output has ended. */
  #isClosed = false;
  #started = performance.now();

  constructor(io: ProcessIO) {
    this.io = io;
    this.#interrupt = new Interrupt(io, () => this.#endAtOnce());
    io.stdout.on?.('error', (error) => this.#outputFailed(error));
    // a failure to write to standard error cannot be reported anywhere
    io.stderr.on?.('error', () => {});
  }

  /** Writes the error that ended a command. After a signal, the exit code is that of the signal. */
  failed(error: unknown): void {
    const { exitCode } = this.#interrupt;
    const isAbort = exitCode !== undefined && error instanceof Error && error.name === 'AbortError';
    this.failure(isAbort ? stopped('the command did not complete') : error);
    this.exitCode = exitCode ?? this.exitCode;
  }

  /** Sets the exit code of a command that completed although a signal told it to stop. */
  completed(): void {
    const { exitCode } = this.#interrupt;
    if (exitCode === undefined || this.#endsByStop) return;
    this.io.stderr.write('interrupted: the command was complete before it could stop\n');
    this.exitCode = exitCode;
  }

  #outputFailed(error: Error): void {
    // a reader may stop early, as head does; that is not a failure
    this.#isClosed ||= codeOf(error) === 'EPIPE';
    if (this.#isClosed || this.#hasOutputFailed) return;
    this.#hasOutputFailed = true;
    const exitCode = this.exitCode;
    const state = this.#isStreaming ? 'the output is incomplete, so run the command again' : 'the command itself is complete';
    const hint = `check the destination of the output; ${state}`;
    this.#writeFailure(
      new Failure('file-system', 'cannot write to standard output', {
        expected: 'a file with free space, or a program that reads the output',
        found: error.message,
        hint,
      }),
      hint,
    );
    this.exitCode = exitCode || this.exitCode;
  }

  setOutput(outputMode: OutputMode): void {
    this.#outputMode = outputMode;
  }

  /** Starts the clock of the command, after its code is loaded. */
  start(): void {
    this.#started = performance.now();
  }

  /** Returns how long the command has run, in whole milliseconds. */
  elapsed(): number {
    return Math.round(performance.now() - this.#started);
  }

  /**
   * Writes a command's result: one JSON object with --json, otherwise the lines. The lines and any list in the object may
   * be generators: there can be hundreds of thousands of items. A quiet command writes them if they are what was asked for,
   * or if they tell why the exit code is not 0.
   */
  summary(result: object, lines: Iterable<Line>): void {
    this.#progress?.end();
    const { json, quiet, hasResult } = this.#outputMode;
    if (json) this.#writeAll(jsonTexts(result));
    else if (!quiet || hasResult || this.exitCode !== 0) this.#writeAll(lineTexts(lines));
  }

  /** Writes texts or bytes to standard output, whatever the output options are. Ends early if nobody reads them any more. */
  async stream(parts: Iterable<string | Uint8Array>, pauses: Pauses): Promise<void> {
    if (isTerminal(this.io.stdout, this.io.env)) this.#progress?.end();
    this.#isStreaming = true;
    for (const part of parts) {
      this.io.stdout.write(part);
      if (pauses.areDue) await pauses.take();
      if (this.#isClosed) return;
    }
  }

  #writeAll(texts: Iterable<string>): void {
    for (const chunk of chunks(texts)) this.io.stdout.write(chunk);
  }

  /** The maximum width of a line of a summary, in columns. */
  get columns(): number {
    return Math.max(MIN_COLUMNS, this.io.stdout.columns || DEFAULT_COLUMNS);
  }

  get hasColor(): boolean {
    return hasColor(this.io.stdout, this.io.env);
  }

  /** Returns a command of this program as a line that works when it is pasted, with the options in force. */
  command(command: string, options?: SuggestedCommand['options'], args?: readonly string[]): string {
    return this.render(suggested(command, options, args));
  }

  /** Writes lines about a result to standard error, so that standard output has only the result. */
  notes(lines: Iterable<string>): void {
    const { json, quiet } = this.#outputMode;
    this.#progress?.end();
    if (!json && !quiet) for (const line of lines) this.io.stderr.write(`${printable(line)}\n`);
  }

  /** Writes a warning to standard error, unless the command is quiet. */
  warn(line: string): void {
    if (!this.#outputMode.quiet) this.alert(line);
  }

  /** Writes a warning to standard error also if the command is quiet: the result is not what the user may expect. */
  alert(line: string): void {
    this.#progress?.clear();
    this.io.stderr.write(`${this.#paint('yellow', 'warning:')} ${printable(line)}\n`);
  }

  /**
   * Writes an error to standard error, and with --json also as an object to standard output. Sets the exit code. A stop by a
   * signal is one line.
   */
  failure(error: unknown): void {
    this.#progress?.end();
    const parts = error instanceof Failure ? error.hintParts : undefined;
    this.#writeFailure(error, parts === undefined ? undefined : hintText(parts, this.render));
  }

  #writeFailure(error: unknown, hint: string | undefined): void {
    const isKnown = error instanceof Failure;
    this.exitCode = isKnown ? exitCodeOf(error.code) : 1;
    const failure = isKnown ? error : defect(error);
    if (this.#outputMode.json && !this.#hasOutputFailed) this.io.stdout.write(`${failureJson(failure, hint ?? failure.hint)}\n`);
    if (isKnown && error.code === 'stopped') {
      this.io.stderr.write(`${printable([error.message, error.hint].join('; '))}\n`);
      return;
    }
    const lines = isKnown ? failureLines(error, hint) : defectLines(error);
    this.io.stderr.write(`${this.#paint('red', 'error:')} ${lines.join('\n')}\n`);
  }

  /** Returns a function that shows the progress of the command. The next error or summary ends it. */
  progress<Name extends string>(phases: Phases<Name>): OnProgress<Name> {
    const { stderr, env } = this.io;
    this.#progress?.end();
    if (this.#outputMode.quiet) return () => {};
    const progress = new Progress(stderr, isTerminal(stderr, env), phases);
    this.#progress = progress;
    return progress.show;
  }

  /** Aborted when a signal stops the command. A command that reads it must end after that, usually with Failure stopped. */
  get stopSignal(): AbortSignal {
    return this.#interrupt.signal;
  }

  /** Waits for a signal that stops the command, which is complete then. */
  async untilStopped(): Promise<void> {
    this.#endsByStop = true;
    const { signal } = this.#interrupt;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }

  /** Waits until everything is written, and ends the process if a signal has stopped the command. */
  async end(): Promise<void> {
    this.#progress?.end();
    const { stdout } = this.io;
    if (stdout.on !== undefined) await new Promise<void>((done) => stdout.write('', done));
    this.#interrupt.endProcess(this.exitCode);
  }

  #endAtOnce(): void {
    this.exitCode = this.#interrupt.exitCode ?? this.exitCode;
    this.#progress?.end();
    this.io.stderr.write('interrupted: the command ended at once; run the same command again\n');
    this.#interrupt.endProcess(this.exitCode);
  }

  /** Returns a text, bold in a color where the errors can have colors. */
  #paint(color: keyof typeof COLORS, text: string): string {
    return hasColor(this.io.stderr, this.io.env) ? `\u001b[1;${COLORS[color]}m${text}\u001b[0m` : text;
  }
}

function* lineTexts(lines: Iterable<Line>): Generator<string> {
  for (const line of lines) if (line !== false) yield `${typeof line === 'string' ? printable(line) : line.verbatim}\n`;
}

/** Whether text on a stream may have colors. FORCE_COLOR comes before NO_COLOR, as in Node.js. An empty variable is ignored. */
function hasColor(stream: Output, env: ProcessIO['env']): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced) return !/^(0|false)$/i.test(forced);
  return isTerminal(stream, env) && !env['NO_COLOR'];
}

/** Whether a stream is a terminal that can move its cursor and show colors. */
function isTerminal(stream: Output, env: ProcessIO['env']): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
