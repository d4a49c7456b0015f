import { closeSync, createReadStream, createWriteStream, existsSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../contract/failure.ts';
import { encodeJson } from '../contract/json.ts';
import type { Flaw } from './source.ts';

/**
 * A file for what could not go in: one JSON object a line, with the place, what was expected and found,
 * and the item itself. The lines are kept in a draft until the import is done, then added to the file.
 */
export class RejectsFile {
  readonly path: string;
  readonly #draft: string;
  #descriptor: number | undefined;

  /**
   * @param others files that it must not be: the store, the sources
   * @throws Failure file-system where there is something else than a file at the path, or one of those
   */
  constructor(path: string, others: readonly string[]) {
    this.path = path;
    const status = statSync(path, { throwIfNoEntry: false });
    if (status !== undefined && !status.isFile()) throw this.#unwritable('something that is no file');
    const other = others.find((file) => isSameFile(file, path));
    if (other !== undefined) throw this.#unwritable(`${other}, which the import needs`);
    this.#draft = `${path}.${process.pid}.draft`;
  }

  /** @throws Failure file-system where it cannot be written */
  add(flaw: Flaw): void {
    const { code, place, expected, found, item } = flaw;
    try {
      this.#descriptor ??= openSync(this.#draft, 'w');
      writeSync(this.#descriptor, `${encode({ code, ...place, expected, found, item })}\n`);
    } catch (cause) {
      throw this.#unwritable(cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** Adds what was set aside to the file, which may hold earlier rejects. */
  async keep(): Promise<void> {
    if (!this.#close()) return;
    try {
      await this.#moveDraft();
    } catch (cause) {
      throw new Failure('file-system', `cannot write ${this.path}`, {
        place: { file: this.path },
        expected: 'a file that can be written',
        found: cause instanceof Error ? cause.message : String(cause),
        hint: `the import is done; what was rejected is in ${this.#draft}`,
        cause,
      });
    }
  }

  async #moveDraft(): Promise<void> {
    if (existsSync(this.path)) {
      await pipeline(createReadStream(this.#draft), createWriteStream(this.path, { flags: 'a' }));
      rmSync(this.#draft);
    } else {
      renameSync(this.#draft, this.path);
    }
  }

  /** Leaves the file as it was. */
  discard(): void {
    if (this.#close()) rmSync(this.#draft);
  }

  #unwritable(found: string): Failure {
    const hint = 'name another with --rejects; nothing was imported';
    return new Failure('file-system', `cannot write ${this.path}`, {
      place: { file: this.path },
      expected: 'a file that can be written',
      found,
      hint,
    });
  }

  #close(): boolean {
    if (this.#descriptor === undefined) return false;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    return true;
  }
}

/** A reject's line; without an item that is nested more deeply than can be written. */
function encode(reject: Omit<Flaw, 'kind' | 'place'> & Flaw['place']): string {
  try {
    return encodeJson(reject);
  } catch {
    return encodeJson({ ...reject, item: undefined });
  }
}

function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other)) return true;
  const [a, b] = [statSync(one, { throwIfNoEntry: false }), statSync(other, { throwIfNoEntry: false })];
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}
