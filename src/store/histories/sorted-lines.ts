import { Connection } from '../database/connection.ts';
import { wrapErrors } from '../database/store-error.ts';

/** The size of the lines that are sorted in memory at once, in characters. */
const RUN_SIZE = 4_000_000;
/** The number of sorted lines that are written and read as one value. */
const CHUNK_LINES = 200;

/** The name of the temporary file in errors. SQLite creates it in the temporary folder of the system. */
const NAME = 'the temporary file of SQLite';

/**
 * Yields lines sorted by their characters. This is an external sort: memory has one run of lines and a chunk of each
 * other run. The other runs are in a temporary file, which SQLite deletes at the end.
 * @param lines texts without line breaks. Each character is one byte (U+0000 to U+00FF), so no text is encoded or decoded.
 * @param runSize the size of a run in characters
 * @throws Failure file-system
 */
export function* sortedLines(lines: Iterable<string>, runSize: number = RUN_SIZE): Generator<string> {
  const spool = new Spool();
  try {
    let [run, size]: [string[], number] = [[], 0];
    for (const line of lines) {
      run.push(line);
      size += line.length;
      if (size < runSize) continue;
      spool.write(run.sort());
      [run, size] = [[], 0];
    }
    run.sort();
    const runs = spool.read();
    if (runs.length === 0) yield* run;
    else yield* merged([...runs, run.values()]);
  } finally {
    spool.close();
  }
}

/** Sorted runs in a temporary file, which is created for the first of them. */
class Spool {
  #database: Connection | undefined;
  #chunks = 0;
  /** For each run the numbers of its first chunk and of the chunk after its last. */
  readonly #runs: (readonly [first: number, end: number])[] = [];

  write(run: readonly string[]): void {
    const first = this.#chunks;
    wrapErrors(NAME, () => {
      this.#database ??= created();
      const insert = this.#database.prepare<[number, Buffer]>('INSERT INTO chunk VALUES (?, ?)');
      for (let at = 0; at < run.length; at += CHUNK_LINES) {
        insert.run(this.#chunks, Buffer.from(run.slice(at, at + CHUNK_LINES).join('\n'), 'latin1'));
        this.#chunks += 1;
      }
    });
    this.#runs.push([first, this.#chunks]);
  }

  read(): readonly Iterator<string>[] {
    const database = this.#database;
    if (database === undefined) return [];
    const chunk = database.prepareValue<[number], Buffer>('SELECT lines FROM chunk WHERE number = ?');
    return this.#runs.map(([first, end]) => linesOf((number) => wrapErrors(NAME, () => chunk.get(number)), first, end));
  }

  close(): void {
    this.#database?.close();
  }
}

function* linesOf(read: (chunk: number) => Buffer | undefined, first: number, end: number): Generator<string> {
  for (let number = first; number < end; number += 1) yield* (read(number)?.toString('latin1') ?? '').split('\n');
}

function created(): Connection {
  const database = new Connection('');
  database.exec(`
    PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
    CREATE TABLE chunk (number INTEGER PRIMARY KEY, lines BLOB); BEGIN;`);
  return database;
}

/** A run with the line that it yields next. */
interface Head {
  line: string;
  readonly rest: Iterator<string>;
}

/** Merges sorted runs. Their heads are sorted, so a run moves only as far as its next line requires. */
function* merged(runs: readonly Iterator<string>[]): Generator<string> {
  const heads: Head[] = [];
  for (const rest of runs) {
    const { value, done } = rest.next();
    if (done !== true) heads.push({ line: value, rest });
  }
  heads.sort((a, b) => (a.line < b.line ? -1 : Number(a.line > b.line)));
  for (let head = heads[0]; head !== undefined; head = heads[0]) {
    yield head.line;
    const { value, done } = head.rest.next();
    if (done === true) {
      heads.shift();
      continue;
    }
    head.line = value;
    const place = placeOf(heads, value);
    heads.copyWithin(0, 1, place);
    heads[place - 1] = head;
  }
}

/** Returns the number of heads from the second on whose line is smaller, plus one. */
function placeOf(heads: readonly Head[], line: string): number {
  let [low, high] = [1, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((heads[middle]?.line ?? '') < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
