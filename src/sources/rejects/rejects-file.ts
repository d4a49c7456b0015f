import { hash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { codeOf, convertErrors, type Failure, fileSystemFailure } from '../../contract/failure.ts';
import { readFully, writeFully } from '../../contract/files/file-bytes.ts';
import { refuseDatabase } from '../../contract/files/refuse-output.ts';
import { isSameFile } from '../../contract/files/same-file.ts';
import { openTemporaryFile, type TemporaryFile } from '../../contract/files/temporary-file.ts';
import { encodeJson } from '../../contract/json.ts';
import type { InputError } from '../source.ts';

/** How many bytes are buffered before a write. */
const BUFFER_BYTES = 1 << 16;

/** The state of the file before this run. */
interface Before {
  readonly exists: boolean;
  readonly size: number;
}

/**
 * The rejects file: one JSON object a line, with the place, what was expected and found, and the item itself.
 * The lines of a run are first written to an unnamed temporary file, so a killed run leaves no file behind.
 * They are appended to the rejects file just before the store commits. Therefore no line is lost, whenever the
 * run is killed. A line that the file already contains is not added again, so a repeated run adds no
 * duplicates.
 * Memory holds a digest of each line of the run.
 */
export class RejectsFile {
  readonly path: string;
  #draft: TemporaryFile | undefined;
  readonly #digests = new Set<string>();
  #before: Before | undefined;

  /**
   * @param others the paths of the store and the sources, which must not be overwritten
   * @throws Failure file-system if the path is not a regular file in an existing folder, or is one of the others, not-ours if it is a database
   */
  constructor(path: string, others: readonly string[]) {
    this.path = path;
    const folder = dirname(path);
    if (!this.#wrapErrors(() => statSync(folder)).isDirectory()) throw this.#unwritable(`${folder}, which is not a folder`);
    const status = this.#wrapErrors(() => statSync(path, { throwIfNoEntry: false }));
    if (status !== undefined && !status.isFile()) throw this.#unwritable('not a regular file');
    const other = others.find((file) => isSameFile(file, path));
    if (other !== undefined) throw this.#unwritable(`${other}, which the import needs`);
    refuseDatabase(path);
  }

  /** @throws Failure file-system if the file cannot be written */
  add(inputError: InputError): void {
    const { code, place, expected, found, options, item } = inputError;
    const line = Buffer.from(encode({ code, ...place, expected, found, options, item })).toString('latin1');
    const digest = digestOf(line);
    if (this.#digests.has(digest)) return;
    this.#digests.add(digest);
    this.#wrapErrors(() => {
      this.#draft ??= openTemporaryFile(this.path);
      writeFully(this.#draft.descriptor, Buffer.from(`${line}\n`, 'latin1'));
    });
  }

  /**
   * Appends the lines that the file does not contain yet. Call keep afterwards, or discard if nothing was
   * imported.
   * @throws Failure file-system if the file cannot be written
   */
  async append(): Promise<void> {
    const draft = this.#draft;
    if (draft === undefined) return;
    const exists = this.#wrapErrors(() => statSync(this.path, { throwIfNoEntry: false })) !== undefined;
    const file = this.#wrapErrors(() => openSync(this.path, exists ? 'r+' : 'wx+'));
    try {
      this.#before = { exists, size: fstatSync(file).size };
      const start = await this.#skipKnownLines(file, this.#before.size);
      ftruncateSync(file, start.size);
      await this.#addLines(draft.descriptor, file, start);
      fsyncSync(file);
    } catch (error) {
      throw this.#unwritable(error);
    } finally {
      closeSync(file);
    }
  }

  /** Keeps the appended lines. */
  keep(): void {
    this.#before = undefined;
    this.discard();
  }

  /** Restores the file to its state before the run. */
  discard(): void {
    this.#draft?.close();
    this.#draft = undefined;
    if (this.#before === undefined) return;
    const { exists, size } = this.#before;
    this.#before = undefined;
    if (!exists) rmSync(this.path, { force: true });
    else truncateSync(this.path, size);
  }

  /**
   * Drops the lines that the file already contains.
   * @returns the size of the file without an unfinished last line of a killed run, and the separator before a
   *   new line
   */
  async #skipKnownLines(file: number, size: number): Promise<{ readonly size: number; readonly separator: string }> {
    let last = '';
    for await (const line of linesOf(file)) {
      this.#digests.delete(digestOf(line));
      last = line;
    }
    const isWhole = size === 0 || endsWithNewline(file, size);
    if (isWhole) return { size, separator: '' };
    return isUnfinished(last) ? { size: size - last.length, separator: '' } : { size, separator: '\n' };
  }

  async #addLines(draft: number, file: number, start: { readonly size: number; readonly separator: string }): Promise<void> {
    let position = start.size;
    let text = start.separator;
    const write = () => {
      const bytes = Buffer.from(text, 'latin1');
      writeFully(file, bytes, position);
      position += bytes.length;
      text = '';
    };
    for await (const line of linesOf(draft)) {
      if (!this.#digests.has(digestOf(line))) continue;
      text += `${line}\n`;
      if (text.length > BUFFER_BYTES) write();
    }
    write();
  }

  #wrapErrors<T>(work: () => T): T {
    return convertErrors(work, (error) => this.#unwritable(error));
  }

  /** @param error the error, or a text that says what was found */
  #unwritable(error: unknown): Failure {
    const expected = 'a file that can be written, in a folder that exists';
    const isFull = codeOf(error) === 'ENOSPC';
    const hint = `${isFull ? 'free some space' : 'create the folder'}, or name another file with --rejects; the store is unchanged`;
    return fileSystemFailure(error, this.path, { expected, hint });
  }
}

/** Yields the lines of a file, with one character for each byte: the last line may end inside a character. */
function linesOf(file: number): AsyncIterable<string> {
  const input = createReadStream('', { fd: file, start: 0, autoClose: false, encoding: 'latin1' });
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

function endsWithNewline(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  readFully(file, last, size - 1);
  return last[0] === 0x0a;
}

/** Whether a line is the start of a line that this program writes. */
function isUnfinished(line: string): boolean {
  try {
    JSON.parse(line);
    return false;
  } catch {
    return line.startsWith('{"code":"'.slice(0, line.length));
  }
}

/** Returns a digest of a line, as a string of 32 characters. */
function digestOf(line: string): string {
  return hash('sha256', line, 'binary');
}

/** Encodes a reject as one line. The item is left out if it is nested too deeply to encode. */
function encode(reject: Pick<InputError, 'code' | 'expected' | 'found' | 'options' | 'item'> & InputError['place']): string {
  try {
    return encodeJson(reject);
  } catch {
    return encodeJson({ ...reject, item: undefined });
  }
}
