import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { chance } from './chance.ts';
import { folderOfFile, importLines, recordLines } from './stores.ts';
import { buildArgs, differences, type Files, freshTree, marksOf, touched } from './trees.ts';

const folder = folderOfFile();
const SIZES = ['--page-size', '1', '--account-page-size', '10'];
const METADATA = ['build.json', 'manifest-sha256.txt'];
const SORT_KEYS = 'sort-keys.txt';

/** The records of the first build, and those added later. With their pages, the first are enough for threads. */
const [RECORDS, ALL] = [210, 250];
const base = join(folder, 'base.db');
let lines: string[] = [];

beforeAll(async () => {
  lines = await recordLines(ALL, 40);
  await importLines(base, lines.slice(0, RECORDS));
});

interface Rebuilt {
  readonly before: Files;
  /** The paths of the written files, and of the removed files. */
  readonly written: string[];
  readonly removed: string[];
}

/** A tree that is rebuilt for later states of its store. */
class Tree {
  readonly store: string;
  readonly #out: string;
  readonly #name: string;
  #fresh = 0;

  private constructor(name: string) {
    this.#name = name;
    this.store = join(folder, `${name}.db`);
    this.#out = join(folder, name);
  }

  static async of(name: string): Promise<Tree> {
    const tree = new Tree(name);
    copyFileSync(base, tree.store);
    await freshTree(tree.store, tree.#out, SIZES);
    return tree;
  }

  /**
   * Builds over the existing tree and checks the result. It must have the bytes of a build into an empty folder, no file
   * with unchanged bytes may be written, and the numbers in the summary must be right.
   */
  async rebuild(): Promise<Rebuilt> {
    const [before, marks] = [filesIn(this.#out), marksOf(this.#out)];
    const summary = await palimpsestJson(buildArgs(this.store, this.#out, SIZES));
    const [after, marksAfter] = [filesIn(this.#out), marksOf(this.#out)];
    const wanted = await freshTree(this.store, join(folder, `${this.#name} fresh ${this.#fresh++}`), SIZES);
    expect(differences(after, wanted), 'compared with a build into an empty folder').toEqual([]);
    const written = touched(marks, marksAfter);
    const changed = [...after.keys()].filter((path) => before.get(path)?.equals(after.get(path) ?? Buffer.alloc(0)) !== true);
    expect(written, 'the files written are those whose bytes changed').toEqual(changed.sort());
    const removed = [...before.keys()].filter((path) => !after.has(path));
    const pages = written.filter((path) => path.startsWith('rest/'));
    expect(summary).toMatchObject({
      written: pages.length,
      unchanged: after.size - METADATA.length - 1 - pages.length,
      removed: removed.length,
    });
    return { before, written, removed };
  }
}

/** Returns the pages of a tree that contain a text. */
function showing(files: Files, collection: 'data' | 'account', text: string): string[] {
  return [...files].filter(([path, bytes]) => path.startsWith(`rest/${collection}/`) && bytes.includes(text)).map(([path]) => path);
}

function pagesOf(files: Files, collection: 'data' | 'account'): string[] {
  return [...files.keys()].filter((path) => path.startsWith(`rest/${collection}/`));
}

/** Returns a line with changed fields. */
function changed(line: string | undefined, fields: Readonly<Record<string, unknown>>): string {
  const record: unknown = JSON.parse(line ?? '');
  if (!isObject(record)) throw new Error('not a record');
  return JSON.stringify({ ...record, ...fields });
}

/** Returns the JSON of an account with its records and this bio. */
function profileOf(name: string, bio: string): string {
  const data = lines
    .slice(0, RECORDS)
    .filter((line) => line.includes(`"account":"${name}"`))
    .map((line): unknown => JSON.parse(line))
    .reverse();
  return JSON.stringify({
    screen_name: name,
    account_creation_date: '2010-11-29T21:18:15Z',
    profile_image_url: 'https://images.example/1.jpg',
    data,
    data_page_count: Math.ceil(data.length / 10),
    display_name: 'Somebody',
    website: null,
    location: '',
    bio,
  });
}

describe('a build over a finished tree', () => {
  it('writes nothing if nothing has changed', async () => {
    const tree = await Tree.of('unchanged');
    expect((await tree.rebuild()).written).toEqual([]);
    // known records and an empty batch change nothing
    await importLines(tree.store, lines.slice(10, 20));
    await importLines(tree.store, ['[]']);
    expect(await tree.rebuild()).toMatchObject({ written: [], removed: [] });
  });

  it('writes the feed and one page of accounts for one more record', async () => {
    const tree = await Tree.of('one-more');
    const line = lines.slice(RECORDS).find((more) => !more.includes('"account":"user_1"')) ?? '';
    const name = JSON.stringify(JSON.parse(line).account);
    await importLines(tree.store, [line]);
    const { before, written, removed } = await tree.rebuild();
    // every page of the feed has the count, and every record moves
    const accounts = showing(before, 'account', `"screen_name":${name}`);
    expect(accounts.length).toBeGreaterThan(0);
    expect(accounts.length).toBeLessThan(4);
    expect(written).toEqual(
      [...METADATA, SORT_KEYS, ...accounts, ...pagesOf(before, 'data'), `rest/data/page/${RECORDS + 1}/index.json`].sort(),
    );
    expect(removed).toEqual([]);
  });

  it('writes only the pages of a record that was replaced', async () => {
    const tree = await Tree.of('replaced');
    const text = 'something that nobody else wrote';
    const record = changed(lines[123], { data_type: 'Bio', text });
    await importLines(tree.store, [record], ['--on-conflict', 'replace']);
    const { written } = await tree.rebuild();
    const after = await freshTree(tree.store, join(folder, 'replaced-after'), SIZES);
    const pages = [...showing(after, 'data', text), ...showing(after, 'account', text)];
    expect(pages.length).toBeGreaterThanOrEqual(2);
    expect(written).toEqual([...METADATA, ...pages].sort());
    await importLines(tree.store, lines.slice(123, 124), ['--on-conflict', 'replace']);
    expect((await tree.rebuild()).written).toEqual(written);
  });

  it('gives the tree of a fresh build after any sequence of changes, and writes only changed files', async () => {
    const tree = await Tree.of('anything');
    const random = chance(7);
    const line = () => lines[Math.floor(random() * RECORDS)];
    const news = lines.slice(RECORDS);
    const steps: readonly (() => Promise<void>)[] = [
      () => importLines(tree.store, news.splice(0, Math.ceil(random() * 4))),
      // older than all other records: its account may move to the front
      () => importLines(tree.store, [changed(line(), { id: 0, first_encountered_date: '2011-01-01T00:00:00Z', previous: null })]),
      () => importLines(tree.store, [profileOf(`user_${Math.ceil(random() * 40)}`, `bio ${random()}`)], ['--on-conflict', 'replace']),
      () => importLines(tree.store, [changed(line(), { data_type: 'Name', text: `name ${random()}` })], ['--on-conflict', 'replace']),
      // the record moves to another account
      () => importLines(tree.store, [changed(line(), { account: `taker_${Math.ceil(random() * 3)}` })], ['--on-conflict', 'replace']),
      // an account without records is sorted last, by name
      () => importLines(tree.store, [profileOf(`silent_${Math.ceil(random() * 1e6)}`, '')]),
    ];
    for (const step of [...steps, ...steps.slice(0, 4).toReversed()]) {
      await step().catch((error: unknown) => {
        // a second record 0 conflicts with the first
        if (!(error instanceof Error && error.message.includes('(conflict)'))) throw error;
      });
      await tree.rebuild();
    }
  });
});
