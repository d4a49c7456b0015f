import { closeSync, createReadStream, createWriteStream, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
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

  constructor(path: string) {
    this.path = path;
    this.#draft = `${path}.${process.pid}.draft`;
  }

  /** @throws Failure file-system where it cannot be written */
  add(flaw: Flaw): void {
    const { code, place, expected, found, item } = flaw;
    try {
      this.#descriptor ??= openSync(this.#draft, 'w');
      writeSync(this.#descriptor, `${encodeJson({ code, ...place, expected, found, item })}\n`);
    } catch (cause) {
      throw new Failure('file-system', `cannot write ${this.path}`, {
        place: { file: this.path },
        expected: 'a file that can be written',
        found: cause instanceof Error ? cause.message : String(cause),
        hint: 'name another with --rejects; nothing was imported',
        cause,
      });
    }
  }

  /** Adds what was set aside to the file, which may hold earlier rejects. */
  async keep(): Promise<void> {
    if (!this.#close()) return;
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

  #close(): boolean {
    if (this.#descriptor === undefined) return false;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    return true;
  }
}
