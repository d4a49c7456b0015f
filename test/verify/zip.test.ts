import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { build } from '../../src/tree/build.ts';
import { openTreeFiles } from '../../src/tree/tree-files.ts';
import { verify } from '../../src/verify/verify.ts';
import { RULES } from '../../src/verify/violation.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { DamagedTree } from './damaged-tree.ts';
import { flipByte, flipByteAt, type ZipEdits, zipOf } from './damaged-zip.ts';
import { ACCOUNT_DAMAGES } from './damages/accounts.ts';
import { DIFF_DAMAGES } from './damages/diffs.ts';
import { FILE_DAMAGES } from './damages/files.ts';
import { PAGE_DAMAGES } from './damages/pages.ts';
import { RECORD_DAMAGES } from './damages/records.ts';
import { STORE_DAMAGES } from './damages/store.ts';
import { buildTree, goodHistory, importHistory, SITE } from './good-tree.ts';

const [PAGE, AFTER] = ['rest/data/page/5/index.json', 'rest/data/page/6/index.json'];
const BROWSE = 'browse/changes/2.html';
const INDEX = '.zip-index';
/** Of how many bytes of a ZIP one is changed. */
const STEP = times('byte in a row is changed in a ZIP', 149, 1);

let home = '';
let good = '';
let html = '';
let store = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palimpsest-verify-zip-'));
  [good, html, store] = [join(home, 'good'), join(home, 'html'), join(home, 'good.db')];
  await importHistory(store, goodHistory());
  await buildTree(store, good);
  await build(store, { out: html, site: SITE, html: true });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const newZip = () => join(temporaryFolder(), 'history.zip');

async function found(out: string): Promise<{ readonly rules: string[]; readonly causes: string[] }> {
  const { violations, causes } = await verify({ out });
  return {
    rules: [...new Set(violations.map(({ rule, path }) => `${rule} ${path}`))],
    causes: causes.map(({ path }) => path),
  };
}

describe('verify of a ZIP', () => {
  it('finds what it finds in the folder with the same files', async () => {
    for (const folder of [good, html]) {
      const zip = zipOf(folder, newZip());
      expect(await verify({ out: zip })).toEqual(await verify({ out: folder }));
      expect(await verify({ out: zip, store })).toEqual(await verify({ out: folder, store }));
    }
  });

  const damages = [FILE_DAMAGES, PAGE_DAMAGES, RECORD_DAMAGES, DIFF_DAMAGES, ACCOUNT_DAMAGES, STORE_DAMAGES].flat();
  const firsts = Object.keys(RULES).flatMap((rule) => damages.find(({ expects }) => expects === rule) ?? []);
  it.each(firsts.map((damage) => [damage.expects, damage.name, damage] as const))(
    'reports %s as in a folder: %s',
    async (_, name, entry) => {
      const tree = DamagedTree.copyOf(good, join(temporaryFolder(), 'out'));
      entry.damage(tree);
      if (entry.deep) tree.reseal();
      const options = entry.withStore ? { store } : {};
      const inFolder = await verify({ out: tree.folder, ...options });
      expect(inFolder.violationCount + inFolder.noteCount, name).toBeGreaterThan(0);
      const inZip = await verify({ out: zipOf(tree.folder, newZip()), ...options });
      const { violations, ...rest } = inZip;
      // where a file is missing, the system and the ZIP have other words
      const withoutWords = (all: typeof violations) => all.map((one) => (one.rule === 'file-missing' ? { ...one, found: '' } : one));
      expect(rest).toEqual({ ...inFolder, violations: undefined });
      expect(withoutWords(violations)).toEqual(withoutWords(inFolder.violations));
    },
  );

  it.each<[string, number]>([
    ['the signature of its local header', 0],
    ['the flags of its local header', 6],
    ['the CRC-32 in its local header', 14],
    ['the length in its local header', 18],
    ['its path', 35],
    ['its stored bytes', 80],
    ['its deflated bytes', -20],
  ])('reports a page with damage to %s', async (_, at) => {
    const zip = zipOf(good, newZip());
    flipByte(zip, PAGE, at);
    const { rules, causes } = await found(zip);
    expect(rules).toContain(`file-digest ${PAGE}`);
    expect(causes).toEqual([PAGE]);
  });

  it.each<[string, string, string]>([
    ['a browse file', BROWSE, 'file-digest'],
    ['the sort keys', 'sort-keys.txt', 'file-digest'],
    ['the manifest', 'manifest-sha256.txt', 'manifest-digest'],
    ['the build record', 'build.json', 'build-record'],
  ])('reports damage to the bytes of %s', async (_, path, rule) => {
    const zip = zipOf(html, newZip());
    flipByte(zip, path, -5);
    expect(await found(zip)).toEqual({ rules: [`${rule} ${path}`], causes: [path] });
  });

  const onPage = <T>(path: string, value: (() => T) | undefined, other: T) => (path === PAGE && value !== undefined ? value() : other);
  it.each<[string, ZipEdits, readonly string[]]>([
    [
      'has no row for a page',
      { row: (place) => onPage(place.path, () => undefined, place) },
      [`file-missing ${PAGE}`, `zip-index ${PAGE}`],
    ],
    [
      'has a row with another place',
      { row: (place) => onPage(place.path, () => ({ ...place, offset: 0 }), place) },
      [`file-digest ${PAGE}`, `zip-index ${PAGE}`],
    ],
    [
      'has a row with another SHA-256',
      { row: (place) => onPage(place.path, () => ({ ...place, content: '0123456789abcdef' }), place) },
      [`zip-index ${PAGE}`],
    ],
    [
      'has another CRC-32 in its central directory',
      {
        entries: (entry, path) =>
          onPage(path, () => [Buffer.concat([entry.subarray(0, 16), Buffer.alloc(4), entry.subarray(20)])], [entry]),
      },
      [`zip-index ${PAGE}`],
    ],
    [
      'lists a member twice in its central directory',
      { entries: (entry, path) => onPage(path, () => [entry, entry], [entry]) },
      [`zip-index ${PAGE}`, `zip-index ${INDEX}`],
    ],
    [
      'lists a member only in its index',
      { entries: (entry, path) => onPage<Buffer[]>(path, () => [], [entry]) },
      [`zip-index ${AFTER}`, `zip-index ${INDEX}`],
    ],
    ['does not list its index', { entries: (entry, path) => (path === INDEX ? [] : [entry]) }, [`zip-index ${INDEX}`]],
    ['has bytes between two members', { gap: (path) => onPage(path, () => 'secret', '') }, [`zip-index ${PAGE}`]],
    ['has a member that the manifest does not list', { more: { 'notes.txt': 'x' } }, ['unexpected-file notes.txt']],
    ['has a browse file that the manifest does not list', { more: { 'browse/notes.txt': 'x' } }, ['unexpected-file browse/notes.txt']],
    ['has a hidden member', { more: { '.notes': 'x' } }, ['unexpected-file .notes']],
  ])('reports a ZIP that %s', async (_, edits, expected) => {
    const { rules } = await found(zipOf(html, newZip(), edits));
    expect(rules.filter((rule) => !/^(account-data|store)-/.test(rule)).toSorted()).toEqual([...expected].toSorted());
  });

  it('reports a ZIP that is cut, or has bytes after its end', async () => {
    const bytes = readFileSync(zipOf(good, newZip()));
    for (const part of [
      bytes.subarray(0, -1),
      bytes.subarray(0, -22),
      bytes.subarray(0, bytes.length / 2),
      Buffer.concat([bytes, Buffer.from('x')]),
    ]) {
      const zip = newZip();
      writeFileSync(zip, part);
      expect(await found(zip)).toEqual({ rules: [`zip-index ${INDEX}`], causes: [INDEX] });
    }
  });

  it('throws no-tree if there is no ZIP', async () => {
    const empty = newZip();
    writeFileSync(empty, '');
    for (const out of [newZip(), empty, join(good, 'build.json')]) {
      const error: unknown = await verify({ out }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(Failure);
      expect(error).toMatchObject({ code: 'no-tree', place: { file: out } });
    }
  });

  it('reports each changed byte, unless all files have the same bytes', async () => {
    const original = zipOf(good, newZip());
    const length = statSync(original).size;
    const files = contents(original);
    for (let at = 0; at < length; at += STEP) {
      const zip = newZip();
      writeFileSync(zip, readFileSync(original));
      flipByteAt(zip, at, 1 << (at % 8));
      const { violationCount } = await verify({ out: zip }).catch((error: unknown) => {
        if (error instanceof Failure && error.code === 'no-tree') return { violationCount: 1 };
        throw error;
      });
      if (violationCount === 0) expect(contents(zip), `byte ${at}`).toEqual(files);
    }
  });

  it('exits with 1 and names the file of the ZIP', async () => {
    const zip = zipOf(good, newZip());
    flipByte(zip, PAGE, -20);
    const { code, stdout } = await palimpsest(['verify', '--out', zip]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^rest\/data\/page\/5\/index\.json: \d+ violations\n {2}file-digest: /);
    expect(stdout).toContain(`verified the tree in ${zip}`);
  });
});

function contents(zip: string): Map<string, string> {
  const files = openTreeFiles(zip);
  const all = new Map(Array.from(files.paths(), (path) => [path, files.read(path).toString('base64')]));
  files.close();
  return all;
}
