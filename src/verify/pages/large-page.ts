import { type AccountOnPage, encodeAccountEnd, encodeAccountStart, parseProfile } from '../../contract/account.ts';
import { Violation } from '../../contract/json-shape.ts';
import { ENVELOPE_TAIL, type Envelope, encodeEnvelopeHead, parseEnvelope } from '../../contract/pages/envelope.ts';
import { type ChangeRecord, encodeRecord, parseRecord } from '../../contract/record.ts';
import type { OpenFile } from '../../tree/tree-files.ts';

/** The number of records of an account that are in memory at once. */
const RUN_RECORDS = 500;
/** How much of a page is read at once, in bytes. A longer part is read in steps that double. */
const CHUNK_BYTES = 1 << 20;

/** A record, and its JSON in UTF-8. */
export interface RecordJson {
  readonly record: ChangeRecord;
  readonly json: Buffer;
}

export interface AccountInParts {
  /** The account without its records. */
  readonly account: AccountOnPage;
  readonly records: number;
  /** The lowest id of its records; infinite without records. */
  readonly first: number;
  /** Its records in consecutive runs, newest first. Each call reads the run again. */
  readonly runs: readonly (() => readonly RecordJson[])[];
  /** Returns the JSON of the account in UTF-8, in chunks. */
  readonly json: () => Iterable<Buffer>;
}

/** A page that is not as a build writes it, so that it cannot be read in parts. */
class OtherForm extends Error {}

/**
 * Reads a page of accounts part by part, if it has the bytes that a build writes.
 * @returns undefined if it has others, or an invalid item: the whole page must then be parsed
 */
export function readInParts(
  file: OpenFile,
): { readonly envelope: Omit<Envelope, 'results'>; readonly accounts: readonly AccountInParts[] } | undefined {
  try {
    const parts = new Parts(file);
    const head = parts.upTo(OPEN_LIST);
    const envelope = parseEnvelope(parsed(head, ENVELOPE_TAIL));
    expectSame(head, encodeEnvelopeHead(envelope));
    const accounts: AccountInParts[] = [];
    while (!parts.isAt(CLOSE_LIST)) {
      if (accounts.length > 0) parts.skip(COMMA);
      accounts.push(readAccount(parts, file));
    }
    for (const mark of [CLOSE_LIST, CLOSE_OBJECT]) parts.skip(mark);
    return parts.position === file.size ? { envelope, accounts } : undefined;
  } catch (error) {
    // the check of the whole page finds it again and reports it
    if (error instanceof OtherForm || error instanceof Violation) return undefined;
    throw error;
  }
}

function readAccount(parts: Parts, file: OpenFile): AccountInParts {
  const from = parts.position;
  const start = parts.upTo(OPEN_LIST);
  const ends: number[] = [];
  let [records, first, name] = [0, Number.POSITIVE_INFINITY, undefined as string | undefined];
  for (; !parts.isAt(CLOSE_LIST); records += 1) {
    if (records > 0) parts.skip(COMMA);
    if (records % RUN_RECORDS === 0) ends.push(parts.position);
    const part = parts.upTo(CLOSE_OBJECT);
    const record = parseRecord(parsed(part));
    expectSame(part, encodeRecord(record));
    first = Math.min(first, record.id);
    name ??= record.account;
    if (record.account !== name) throw new OtherForm('a record of another account');
  }
  const to = parts.position;
  const end = parts.upTo(CLOSE_OBJECT);
  const account = parseProfile(parsed(start, end), '');
  expectSame(start, encodeAccountStart(account));
  expectSame(end, encodeAccountEnd(account, account.data_page_count));
  if (account.screen_name !== (name ?? account.screen_name)) throw new OtherForm('records of another account');
  const runs = ends.map((begin, index) => () => readRun(file, begin, ends[index + 1] ?? to));
  const last = parts.position;
  return { account, records, first, runs, json: () => chunks(file, from, last) };
}

/** Reads the records between two positions. There may be a comma after the last one. */
function readRun(file: OpenFile, from: number, to: number): RecordJson[] {
  const parts = new Parts({ ...file, size: to }, from);
  const records: RecordJson[] = [];
  while (parts.position < to) {
    const json = parts.upTo(CLOSE_OBJECT);
    records.push({ record: parseRecord(parsed(json)), json });
    if (parts.position < to) parts.skip(COMMA);
  }
  return records;
}

function* chunks(file: OpenFile, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to; at += CHUNK_BYTES) yield file.read(at, Math.min(to, at + CHUNK_BYTES));
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parsed(part: Buffer, end: Buffer | string = ''): unknown {
  try {
    return JSON.parse(`${UTF_8.decode(part)}${end}`);
  } catch (error) {
    throw new OtherForm('no JSON in UTF-8', { cause: error });
  }
}

function expectSame(part: Buffer, json: string): void {
  if (!part.equals(Buffer.from(json))) throw new OtherForm('other bytes than a build writes');
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7d];

/** Reads a file from a position on, up to one mark after the other. */
class Parts {
  readonly #file: OpenFile;
  #bytes = Buffer.alloc(0);
  /** The position of the bytes in the file, and the position in the bytes. */
  #start: number;
  #at = 0;

  constructor(file: OpenFile, start = 0) {
    this.#file = file;
    this.#start = start;
  }

  get position(): number {
    return this.#start + this.#at;
  }

  /** Takes the bytes up to and with the next mark outside of strings. */
  upTo(mark: number): Buffer {
    let end = endOf(this.#bytes, this.#at, mark);
    while (end === undefined) {
      this.#readMore();
      end = endOf(this.#bytes, this.#at, mark);
    }
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  isAt(mark: number): boolean {
    if (this.#at === this.#bytes.length) this.#readMore();
    return this.#bytes[this.#at] === mark;
  }

  skip(mark: number): void {
    if (!this.isAt(mark)) throw new OtherForm('another character');
    this.#at += 1;
  }

  #readMore(): void {
    const rest = this.#bytes.subarray(this.#at);
    const from = this.position + rest.length;
    const next = this.#file.read(from, Math.min(this.#file.size, from + Math.max(CHUNK_BYTES, rest.length)));
    if (next.length === 0) throw new OtherForm('the end of the page');
    [this.#bytes, this.#start, this.#at] = [Buffer.concat([rest, next]), this.position, 0];
  }
}

/** Returns the position after the next mark outside of strings; undefined if there is none. */
function endOf(bytes: Buffer, from: number, mark: number): number | undefined {
  let inString = false;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) at += 1;
    else if (byte === mark && !inString) return at + 1;
  }
  return undefined;
}
