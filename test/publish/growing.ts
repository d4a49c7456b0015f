import { join } from 'node:path';
import { expect } from 'vitest';
import { palimpsestJson } from '../support/palimpsest.ts';
import { importLines, recordLines } from '../whole/stores.ts';
import { buildArgs, type Files, pagesIn } from '../whole/trees.ts';
import { fetchAll, type Store, type StoreKind } from './stores.ts';

/** The largest number of records of a history. */
const MAX_RECORDS = 1100;

/** A history that grows from night to night, with the tree of its last night. */
export class Growing {
  readonly out: string;
  readonly #store: string;
  readonly #sizes: readonly string[];
  readonly #lines: readonly string[];
  #more: readonly string[];
  /** The number of records. */
  records = 0;

  private constructor(folder: string, name: string, sizes: readonly string[], lines: readonly string[], more: readonly string[]) {
    this.out = join(folder, name);
    this.#store = `${this.out}.db`;
    this.#sizes = sizes;
    this.#lines = lines;
    this.#more = more;
  }

  /** The first `records` of the generated records, built with the options in `more`. */
  static async of(
    folder: string,
    name: string,
    { records, accounts }: { readonly records: number; readonly accounts: number },
    more: readonly string[] = [],
  ): Promise<Growing> {
    const sizes = ['--page-size', '10', '--account-page-size', '5'];
    const growing = new Growing(folder, name, sizes, await recordLines(MAX_RECORDS, accounts), more);
    await growing.grow(records);
    return growing;
  }

  /** Adds the next `count` records and builds. */
  async grow(count: number): Promise<void> {
    const lines = this.#lines.slice(this.records, this.records + count);
    if (lines.length < count) throw new Error(`there are only ${this.#lines.length} records to grow by`);
    await importLines(this.#store, lines);
    await palimpsestJson(buildArgs(this.#store, this.out, [...this.#sizes, ...this.#more]));
    this.records += count;
  }

  /** Builds with other options than before. */
  async rebuild(more: readonly string[]): Promise<void> {
    this.#more = more;
    await palimpsestJson(buildArgs(this.#store, this.out, [...this.#sizes, ...more]));
  }

  /** The files that a target must have in the end, except for its state. */
  files(): Files {
    return pagesIn(this.out);
  }
}

/** The arguments to publish a tree. The environment contains the endpoint. */
export function publishArgs(out: string, address: string, more: readonly string[] = []): string[] {
  return ['publish', address, '--out', out, '--timeout', '20s', ...more];
}

/** Publishes and returns the JSON output. */
export function publishJson(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
  return palimpsestJson(args, { env });
}

/** The files of a published tree in a folder, without its state. */
export function publishedIn(path: string): Files {
  const files = new Map(pagesIn(path));
  expect(files.delete('publish.json')).toBe(true);
  return files;
}

/** The same at an object store, read by an independent client. */
export async function publishedAt(kind: StoreKind, { endpoint }: Store, prefix: string, folder: string): Promise<Files> {
  const fetched = join(folder, `${prefix.replaceAll('/', ' ')} fetched from ${kind.name}`);
  await fetchAll(kind, endpoint, prefix, fetched);
  return publishedIn(fetched);
}
