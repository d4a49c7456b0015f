import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeWacz } from '../../src/archive/wacz.ts';
import { Failure } from '../../src/contract/failure.ts';
import { build } from '../../src/tree/build/build.ts';
import { openTreeFiles } from '../../src/tree/tree-files.ts';
import { openVerified } from '../../src/tree/verified-tree.ts';
import { verify } from '../../src/verify/verify.ts';
import { temporaryFolder } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { flipByte, flipByteAt, type ZipEdits, zipOf } from './damaged-zip.ts';
import { FILE_DAMAGES } from './damages/files.ts';
import { STORE_DAMAGES } from './damages/store.ts';
import { goodTreeOfFile, SITE } from './good-tree.ts';

const PAGE = 'rest/data/page/5/index.json';
const BROWSE = 'browse/changes/2.html';
const INDEX = '.zip-index';
/** Of how many bytes of a ZIP one is changed. */
const STEP = times('byte in a row is changed in a ZIP', 4999, 1);

const { good, store, copy } = goodTreeOfFile();
let html = '';

beforeAll(async () => {
  html = `${good} with browse files`;
  await build(store, { out: html, site: SITE, html: true });
});

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

  // the walk of the pages does not know where they are
  const damages = [...FILE_DAMAGES, ...STORE_DAMAGES];
  const rules = new Set(damages.map(({ expects: [rule] }) => rule));
  it.each([...rules])('reports %s as in a folder', async (rule) => {
    const entry = damages.find(({ expects }) => expects[0] === rule);
    const tree = copy();
    entry?.damage(tree);
    if (entry?.deep) tree.reseal();
    const options = entry?.withStore ? { store } : {};
    const inFolder = await verify({ out: tree.folder, ...options });
    const inZip = await verify({ out: zipOf(tree.folder, newZip()), ...options });
    expect(inFolder.violations.map((violation) => violation.rule)).toContain(rule);
    // where a file is missing, the system and the ZIP have other words
    const withoutWords = ({ violations, ...rest }: typeof inZip) => {
      return { ...rest, violations: violations.map((one) => (one.rule === 'file-missing' ? { ...one, found: '' } : one)) };
    };
    expect(withoutWords(inZip)).toEqual(withoutWords(inFolder));
  });

  it.each<[string, number]>([
    ['the signature of its local header', 0],
    ['the CRC-32 in its local header', 14],
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

  it.each<[string, ZipEdits, readonly string[]]>([
    ['has no row for a page', { of: PAGE, row: () => undefined }, [`file-missing ${PAGE}`, `zip-index ${PAGE}`]],
    ['has a row with another place', { of: PAGE, row: (place) => ({ ...place, offset: 0 }) }, [`file-digest ${PAGE}`, `zip-index ${PAGE}`]],
    ['has a row with another SHA-256', { of: PAGE, row: (place) => ({ ...place, content: '0123456789abcdef' }) }, [`zip-index ${PAGE}`]],
    [
      'has another CRC-32 in its central directory',
      { of: PAGE, entries: (entry) => [Buffer.concat([entry.subarray(0, 16), Buffer.alloc(4), entry.subarray(20)])] },
      [`zip-index ${PAGE}`],
    ],
    [
      'lists a member twice in its central directory',
      { of: PAGE, entries: (entry) => [entry, entry] },
      [`zip-index ${PAGE}`, `zip-index ${INDEX}`],
    ],
    ['does not list its index', { of: INDEX, entries: () => [] }, [`zip-index ${INDEX}`]],
    ['has bytes between two members', { of: PAGE, gap: 'secret' }, [`zip-index ${PAGE}`]],
    ['has a member that the manifest does not list', { more: { 'notes.txt': 'x' } }, ['unexpected-file notes.txt']],
    ['has a browse file that the manifest does not list', { more: { 'browse/notes.txt': 'x' } }, ['unexpected-file browse/notes.txt']],
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

  it('throws no-tree if there is no ZIP of a tree', async () => {
    const [empty, other] = [newZip(), newZip()];
    writeFileSync(empty, '');
    writeFileSync(other, 'PK\u0003\u0004 the files of another program');
    for (const out of [newZip(), empty, other, join(good, 'build.json')])
      await expect(verify({ out })).rejects.toMatchObject({ code: 'no-tree', place: { file: out } });
  });

  it('throws no-tree for a WACZ, because it has no index', async () => {
    const out = join(temporaryFolder(), 'history.wacz');
    await writeWacz(openVerified(good), out);
    await expect(verify({ out })).rejects.toMatchObject({ code: 'no-tree', message: `${out} is a WACZ` });
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
});

function contents(zip: string): Map<string, string> {
  const files = openTreeFiles(zip);
  const all = new Map(Array.from(files.paths(), (path) => [path, files.read(path).toString('base64')]));
  files.close();
  return all;
}
