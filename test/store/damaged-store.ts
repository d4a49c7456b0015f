import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finished, palimpsestHere } from '../support/palimpsest.ts';
import { chance } from '../whole/chance.ts';

/** The output and the exit code of a command. */
export interface Ended extends Finished {
  /** The code of the error; undefined if the command reported no error. */
  readonly error: string | undefined;
}

/** Runs a command line in this process, with --json unless it writes to standard output itself. */
export async function command(args: readonly string[], input = ''): Promise<Ended> {
  const ended = await palimpsestHere([...args, '--json'], { input });
  return { ...ended, error: /^\{"error":\{"code":"([a-z-]+)"/m.exec(ended.stdout)?.[1] };
}

/** Makes copies of a store with one byte changed. The seed determines the byte. */
export class Damage {
  readonly #path: string;
  readonly #folder: string;
  readonly #bytes: Buffer;
  readonly offset: number;
  #copies = 0;

  constructor(path: string, folder: string, seed: number) {
    const next = chance(seed);
    const bytes = Buffer.from(readFileSync(path));
    let offset = 0;
    // a zero is rarely chosen, because zeros are mostly unused space
    do offset = Math.floor(next() * bytes.length);
    while (bytes[offset] === 0 && next() < 0.9);
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 + Math.floor(next() * 255));
    this.#path = path;
    this.#folder = folder;
    this.#bytes = bytes;
    this.offset = offset;
  }

  /** Makes a new copy, for a command that may write. */
  copy(): string {
    this.#copies += 1;
    const path = join(this.#folder, `damaged-${this.#copies}.db`);
    copyFileSync(this.#path, path);
    writeFileSync(path, this.#bytes);
    return path;
  }
}
