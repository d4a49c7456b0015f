import { FAILURES, Failure } from './contract/failure.ts';
import { encodeJson, isObject } from './contract/json.ts';

/** The parts of a process that a command uses; a test gives its own. */
export interface Surroundings {
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
  readonly write: (text: string) => unknown;
}

/** Whether a command speaks to machines, and whether at all. */
export interface Voice {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
}

/** How long something takes before its progress is shown, and how often it is shown then, in milliseconds. */
const PATIENCE = 1000;
const INTERVAL = 100;
/** How many characters of a summary are written at once. */
const PIECE = 1 << 12;

const COLORS = { red: 31, yellow: 33 } as const;

/** What people and machines read: summaries on standard output, progress and errors on standard error. */
export class Terminal {
  /** What the process is to exit with. */
  exitCode = 0;
  readonly surroundings: Surroundings;
  #voice: Voice = {};

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }

  /** Sets how the command at hand is to speak. */
  speakAs(voice: Voice): void {
    this.#voice = voice;
  }

  /**
   * A command's result: one JSON object for machines, lines for people. A field of the object may be a list that is
   * made as it is written, as may be the lines: there can be hundreds of thousands of items.
   */
  summary(result: object, lines: Iterable<string>): void {
    if (this.#voice.json) this.#writeAll(jsonTexts(result));
    else if (!this.#voice.quiet) this.#writeAll(lines, '\n');
  }

  /** Writes texts, each with what ends it, in pieces of which none is large. */
  #writeAll(texts: Iterable<string>, end = ''): void {
    let piece = '';
    for (const text of texts) {
      piece += text + end;
      if (piece.length < PIECE) continue;
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
    if (!this.#voice.quiet) this.surroundings.stderr.write(`${this.#paint('yellow', 'warning:')} ${line}\n`);
  }

  /** Words an error: for people on standard error, for machines also as an object on standard output. */
  failure(error: unknown): void {
    const { stdout, stderr } = this.surroundings;
    const isKnown = error instanceof Failure;
    this.exitCode = isKnown ? FAILURES[error.code] : 1;
    if (!isKnown) {
      stderr.write(`${this.#paint('red', 'error:')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      stderr.write('this is a fault of palimpsest: please report it with the lines above\n');
      return;
    }
    const { code, message, place, expected, found, hint } = error;
    if (this.#voice.json) stdout.write(`${encodeJson({ error: { code, message, ...place, expected, found, hint } })}\n`);
    const where = [place.file, place.line === undefined ? undefined : `line ${place.line}`, place.field].filter(
      (part) => part !== undefined,
    );
    stderr.write(`${this.#paint('red', 'error:')} ${message} (${code})\n`);
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
        if (now - started < PATIENCE || now - shown < INTERVAL) return;
        shown = now;
        const left = done === 0 ? '' : `, ${seconds(((now - started) / done) * Math.max(0, all - done))} left`;
        const share = all === 0 ? amount(done) : `${Math.min(100, Math.floor((done / all) * 100))} % of ${amount(all)}`;
        stderr.write(`\r\u001b[K${label} ${share}${all === 0 ? '' : left}`.slice(0, (stderr.columns ?? 80) + 4));
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
