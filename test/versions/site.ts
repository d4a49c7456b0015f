import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { importLines } from '../whole/stores.ts';

/** Args that make a small site of a few records have several pages. */
export const SIZES = ['--page-size', '5', '--account-page-size', '3'];
export const BASE = 'https://history.example';

/** A store that grows, and a tree of it in a ZIP. */
export class Site {
  readonly folder: string;
  readonly store: string;
  readonly zip: string;
  readonly #lines: readonly string[];
  #imported = 0;

  constructor(folder: string, lines: readonly string[]) {
    this.folder = folder;
    this.store = join(folder, 'store.db');
    this.zip = join(folder, 'history.zip');
    this.#lines = lines;
  }

  /** Imports more records, and builds. Returns the SHA-256 of the manifest. */
  async grow(records: number, base = BASE): Promise<string> {
    if (records > 0) await importLines(this.store, this.#lines.slice(this.#imported, this.#imported + records));
    this.#imported += records;
    return this.build(base);
  }

  async build(base = BASE): Promise<string> {
    const args = ['build', '--store', this.store, '--out', this.zip, '--base-url', base, ...SIZES];
    const { build } = await palimpsestJson<{ readonly build: { readonly manifest: string } }>(args);
    return build.manifest;
  }

  args(target: string, more: readonly string[] = []): string[] {
    return ['publish', target, '--out', this.zip, '--store', this.store, ...more];
  }

  publish(target: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Published> {
    return palimpsestJson(this.args(target, more), { env });
  }

  /** Runs a publish that fails. */
  async refused(target: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Refused> {
    const { code, stdout } = await palimpsestHere([...this.args(target, more), '--json'], { env });
    return { exit: code, ...JSON.parse(stdout).error };
  }
}

export interface Published {
  readonly number: number;
  readonly change: string | null;
  readonly versions: number;
  readonly withdrawn_numbers: readonly number[];
  readonly removed_numbers: readonly number[];
  readonly damaged_numbers: readonly number[];
  readonly problems: readonly string[];
  readonly deleted: number;
  readonly requests: { readonly all: number };
  readonly conditional: boolean | null;
}

export interface Refused {
  readonly exit: number | null;
  readonly code: string;
  readonly message: string;
  readonly found: string;
  readonly hint: string;
}

export interface Listed {
  readonly results: readonly {
    readonly number: number;
    readonly current: boolean;
    readonly manifest: string;
    readonly file: string;
    readonly time: string;
  }[];
  readonly withdrawn: readonly { readonly number: number }[];
  readonly problems: readonly string[];
}

export function listed(target: string, env: Readonly<Record<string, string>> = {}): Promise<Listed> {
  return palimpsestJson(['versions', target], { env });
}

/** Returns the paths at a folder that are not needed by its newest commit. */
export function unneeded(target: string): string[] {
  const { versions }: { readonly versions: readonly { readonly file: string }[] } = JSON.parse(
    readFileSync(join(target, 'head.json'), 'utf8'),
  );
  const needed = new Set(['head.json', 'palimpsest.json', ...versions.map(({ file }) => file)]);
  return [...filesIn(target).keys()].filter((path) => !needed.has(path) && !/^versions\/\d{8}\.json$/.test(path));
}
