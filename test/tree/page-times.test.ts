import { readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, build } from '../../src/tree/build/build.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { History } from '../support/histories.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

/** The resolution of file times on FAT: 2 s, in milliseconds. */
const FAT_RESOLUTION = 2000;

interface Version {
  readonly bytes: Buffer;
  readonly time: number;
}

/** A tree that remembers every version of each of its files. */
class Remembered {
  readonly folder = temporaryFolder();
  readonly out = join(this.folder, 'out');
  readonly #versions = new Map<string, Version[]>();
  /** The files at the last comparison. */
  #present: readonly string[] = [];
  #stores = 0;

  /** Builds a history from a new store, and compares the time of each file with the times of its earlier versions. */
  async build(history: Parameters<typeof importHistory>[1], options: Partial<BuildOptions> = {}): Promise<void> {
    const store = join(this.folder, `${this.#stores++}.db`);
    await importHistory(store, history);
    await build(store, { out: this.out, site: SITE, compress: ['gzip', 'brotli'], replaceTree: true, ...options });
    this.compare();
  }

  compare(): void {
    const present = this.files();
    for (const path of present) {
      const file = join(this.out, path);
      const now = { bytes: readFileSync(file), time: statSync(file).mtimeMs };
      const before = this.#versions.get(path) ?? [];
      const last = before.at(-1);
      const isSame = last?.bytes.equals(now.bytes) === true;
      if (isSame && path.startsWith('rest/') && this.#present.includes(path)) expect(now.time, `${path} is unchanged`).toBe(last.time);
      if (!isSame) for (const { time } of before) expect(step(now.time), `${path} has other bytes`).toBeGreaterThan(step(time));
      this.#versions.set(path, isSame ? [...before.slice(0, -1), now] : [...before, now]);
    }
    this.#present = present;
  }

  /** Returns the number of versions of a file so far. */
  versions(path: string): number {
    return this.#versions.get(path)?.length ?? 0;
  }

  files(): string[] {
    return readdirSync(this.out, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(this.out, path)).isFile());
  }

  /** Changes the time of every file with a function. */
  setTimes(timeFrom: (time: number) => number): void {
    for (const [path, versions] of this.#versions) {
      const file = join(this.out, path);
      const time = timeFrom(statSync(file).mtimeMs) / 1000;
      utimesSync(file, time, time);
      const last = versions.length - 1;
      const timeOf = (index: number, before: number) => (index === last ? statSync(file).mtimeMs : timeFrom(before));
      this.#versions.set(
        path,
        versions.map((version, index) => ({ ...version, time: timeOf(index, version.time) })),
      );
    }
  }
}

/** Returns a history whose newest Bio is a number of six digits. Two numbers give pages of the same size with different bytes. */
function numbered(number: number, length?: number): History {
  const { records, accounts } = goodHistory(length);
  const text = String(number).padStart(6, '0');
  const newest = records.find((record) => record.data_type === 'Bio');
  const edited = records.map((record) => (record === newest ? { ...record, text } : record));
  const data = (name: string) => edited.filter((record) => record.account === name);
  return { records: edited, accounts: accounts.map((account) => ({ ...account, data: data(account.screen_name) })) };
}

const step = (time: number) => Math.floor(time / FAT_RESOLUTION);

describe('the time of a page with new bytes differs from the times of all earlier versions', () => {
  it('if builds follow one another at once', async () => {
    const tree = new Remembered();
    for (let number = 0; number < 6; number += 1) await tree.build(numbered(number));
    for (const suffix of ['', '.gz', '.br']) expect(tree.versions(`rest/data/index.json${suffix}`)).toBe(6);
    expect(tree.versions('rest/data/page/2/index.json'), 'a page that shows the same records').toBe(1);
  });

  it.each<[string, (time: number, build: number) => number]>([
    // as if the first build had been an hour later than this machine's clock says
    ['the clock was set back', (time, number) => (number === 0 ? time + 3_600_000 : time)],
    ['the file system stores only even seconds', (time) => step(time) * FAT_RESOLUTION],
  ])('if %s', async (_, timeFrom) => {
    const tree = new Remembered();
    for (let number = 0; number < 4; number += 1) {
      await tree.build(numbered(number));
      tree.setTimes((time) => timeFrom(time, number));
    }
    expect(tree.versions('rest/data/index.json')).toBe(4);
  });

  it('if the page or its compressed copy was removed and is written again', async () => {
    const tree = new Remembered();
    const last = 'rest/data/page/9/index.json';
    await tree.build(numbered(0, 60));
    const { length } = readFileSync(join(tree.out, last));
    await tree.build(numbered(0, 30), { compress: [] });
    expect(tree.files().filter((path) => path === last || path.endsWith('.gz'))).toEqual([]);
    // another base URL of the same length: every page has other bytes
    await tree.build(numbered(1, 60), { site: { ...SITE, base_url: SITE.base_url.replace('history', 'another') } });
    expect(readFileSync(join(tree.out, last)).length).toBe(length);
    expect(['', '.gz'].map((suffix) => tree.versions(last + suffix))).toEqual([2, 2]);
  });

  it('if all pages were deleted', async () => {
    const tree = new Remembered();
    await tree.build(numbered(0));
    rmSync(join(tree.out, 'rest'), { recursive: true });
    tree.compare();
    await tree.build(numbered(1));
    expect(tree.versions('rest/data/index.json')).toBe(2);
  });
});
