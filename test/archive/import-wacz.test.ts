import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeBag } from '../../src/archive/bag.ts';
import { openArchives } from '../../src/sources/archives/web-archive-inputs.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import { openVerified } from '../../src/tree/verified-tree.ts';
import { zipOf } from '../support/archives.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { isFull, isOne } from '../support/proof.ts';
import { folderOfFile } from '../whole/stores.ts';
import { archiveOf, SAMPLE, treeOf } from './archived.ts';
import { capture, http, idsDown, importFile, pagesOf } from './written.ts';

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const folder = folderOfFile();
const open = async (path: string) => await openArchives(inputsOf([path], process.stdin));

const WARC = Buffer.concat([...pagesOf(idsDown(25))].map(([target, body]) => gzipSync(capture(target, http(200, body)))));

/** The files of a WACZ with these WARCs, as other tools write it. */
function waczFiles(warcs: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const resources = [...warcs].map(([path, bytes]) => ({ name: path.split('/').at(-1), path, hash: sha256(bytes), bytes: bytes.length }));
  const datapackage = Buffer.from(JSON.stringify({ profile: 'data-package', wacz_version: '1.1.1', resources }));
  const digest = Buffer.from(JSON.stringify({ path: 'datapackage.json', hash: sha256(datapackage) }));
  return new Map([...warcs, ['datapackage.json', datapackage], ['datapackage-digest.json', digest]]);
}

/** Writes a WACZ. Returns its path. */
async function writeWacz(files: ReadonlyMap<string, Buffer>, compress = false): Promise<string> {
  const path = join(temporaryFolder(), 'a.wacz');
  writeFileSync(path, await zipOf(Object.fromEntries(files), { compress }));
  return path;
}

/** The fields of an entry in the directory of a ZIP, with their lengths in bytes, and those that are not compared. */
const FIELDS: readonly (readonly [name: string, length: number])[] = [
  ['signature', 4],
  ['version made by', 2],
  ['version needed', 2],
  ['flags', 2],
  ['method', 2],
  ['time', 4],
  ['crc', 4],
  ['packed', 4],
  ['size', 4],
  ['name length', 2],
  ['extra length', 2],
  ['comment length', 2],
  ['disk', 2],
  ['attributes', 6],
  ['offset', 4],
];
const NOT_COMPARED = ['version made by', 'version needed', 'disk', 'attributes', 'extra', 'versions'];

/** Yields the places of the bytes from the directory of a ZIP to its end, and what they are. */
function* directoryBytes(zip: Buffer): Generator<{ readonly at: number; readonly field: string }> {
  let at = zip.indexOf('PK\x01\x02', 0, 'latin1');
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const start = at;
    for (const [field, length] of FIELDS) for (let byte = 0; byte < length; byte += 1, at += 1) yield { at, field };
    const end = at + zip.readUInt16LE(start + 28) + zip.readUInt16LE(start + 30);
    for (; at < end; at += 1) yield { at, field: at - start < 46 + zip.readUInt16LE(start + 28) ? 'name' : 'extra' };
  }
  const isLarge = zip.length - at > 22;
  for (const start = at; at < zip.length; at += 1) {
    const place = at - start;
    yield { at, field: isLarge && place >= 12 && place < 16 ? 'versions' : `end ${place}` };
  }
}

const refused = (files: ReadonlyMap<string, Buffer>) => expect(writeWacz(files).then(open)).rejects;

let out: string;
let wacz: Buffer;
beforeAll(async () => {
  out = await treeOf(folder, SAMPLE);
  wacz = readFileSync(await archiveOf(out, 'wacz', join(folder, 'a.wacz')));
});

describe('import of a WACZ', () => {
  it('reads all WARCs of the archive, stored or deflated', async () => {
    for (const compress of [false, true]) {
      const members = [...pagesOf(idsDown(25))].map(([target, body]) => gzipSync(capture(target, http(200, body))));
      const warcs = new Map([
        ['archive/one.warc.gz', Buffer.concat(members.slice(0, 2))],
        ['archive/two.warc.gz', Buffer.concat(members.slice(2))],
      ]);
      const path = await writeWacz(waczFiles(warcs), compress);
      const { ids, report } = await importFile(path, undefined, { requireComplete: true });
      expect(ids).toEqual(idsDown(25));
      expect(report).toMatchObject({ archive: path, pages: 4 });
    }
  });
});

describe('import refuses a WACZ', () => {
  it('that is cut short', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    for (let length = 10; length < wacz.length; length += isFull ? 97 : 4999) {
      writeFileSync(path, wacz.subarray(0, length));
      await expect(open(path), `cut at ${length}`).rejects.toMatchObject({ code: 'bad-archive' });
    }
  });

  it.each([
    ['a name that leads out of the folder', '../../../../tmp/evil.gz'],
    ['an absolute name', '/etc/cron.d/evil0000000'],
    ['a name with backslashes', '..\\..\\windows\\evil.warc'],
    ['a drive', 'C:/windows/system/evil.'],
  ])('with %s', async (_, name) => {
    const safe = 'archive/aaaaaaa.warc.gz';
    expect(name).toHaveLength(safe.length);
    const warcs = ['archive/data.warc.gz', safe].map((path) => [path, WARC] as const);
    const path = await writeWacz(waczFiles(new Map(warcs)));
    const bytes = readFileSync(path).toString('latin1').replaceAll(`${safe}PK`, `${name}PK`).replaceAll(safe, name);
    writeFileSync(path, Buffer.from(bytes, 'latin1'));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', place: { file: path } });
  });

  it('with one name twice', async () => {
    const path = await writeWacz(new Map([...waczFiles(new Map([['archive/a.warc.gz', WARC]])), ['archive/b.warc.gz', WARC]]));
    writeFileSync(path, Buffer.from(readFileSync(path).toString('latin1').replaceAll('archive/b.', 'archive/a.'), 'latin1'));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', found: 'archive/a.warc.gz twice' });
  });

  it('with a WARC that datapackage.json does not list, or another hash, or a missing file', async () => {
    const files = waczFiles(new Map([['archive/a.warc.gz', WARC]]));
    const unlisted = { code: 'bad-archive', expected: expect.stringContaining('archive/b.warc.gz') };
    await refused(new Map([...files, ['archive/b.warc.gz', WARC]])).toMatchObject(unlisted);
    const other = { code: 'bad-archive', found: 'another hash' };
    await refused(new Map([...files, ['archive/a.warc.gz', Buffer.concat([WARC, WARC])]])).toMatchObject(other);
    await refused(new Map([...files, ['datapackage.json', Buffer.from(`${files.get('datapackage.json')} `)]])).toMatchObject(other);
    for (const gone of ['archive/a.warc.gz', 'datapackage.json', 'datapackage-digest.json']) {
      const missing = { code: 'bad-archive', expected: `the file ${gone}` };
      await refused(new Map([...files].filter(([name]) => name !== gone))).toMatchObject(missing);
    }
    const ofAnother = Buffer.from(JSON.stringify({ path: 'archive/a.warc.gz', hash: sha256(WARC) }));
    await refused(new Map([...files, ['datapackage-digest.json', ofAnother]])).toMatchObject({ code: 'bad-archive' });
  });

  it('of which a bit of the directory was changed, except in the fields that are not compared', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    const small = pagesOf([1]);
    const warc = Buffer.concat([...small].map(([target, body]) => gzipSync(capture(target, http(200, body)))));
    const [stored, streamed] = [waczFiles(new Map([['archive/a.warc.gz', warc]])), wacz];
    for (const bytes of [
      await zipOf(Object.fromEntries(stored)),
      await zipOf(Object.fromEntries(stored), { forceZip64Format: true }),
      streamed,
    ]) {
      const passed = new Set<string>();
      for (const { at, field } of directoryBytes(bytes)) {
        for (const bit of isFull ? [0, 1, 2, 3, 4, 5, 6, 7] : at % 3 === 0 ? [at % 8] : []) {
          const changed = Buffer.from(bytes);
          changed[at] = (changed[at] ?? 0) ^ (1 << bit);
          writeFileSync(path, changed);
          const outcome = await open(path).then(
            ({ close }) => close(),
            (error: unknown) => error,
          );
          if (outcome === undefined) passed.add(field);
          else expect(outcome, `${field} at ${at}`).toMatchObject({ code: 'bad-archive' });
        }
      }
      expect([...passed].filter((field) => !NOT_COMPARED.includes(field))).toEqual([]);
    }
  });

  it('that is a ZIP bomb: its files overlap', async () => {
    const warcs = ['archive/a.warc.gz', 'archive/b.warc.gz'].map((path) => [path, WARC] as const);
    const path = await writeWacz(waczFiles(new Map(warcs)), true);
    const bytes = readFileSync(path);
    // what each entry claims to be packed and unpacked
    const claim = Math.floor(bytes.length * 0.8);
    for (let at = bytes.indexOf('PK\x01\x02', 0, 'latin1'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 4, 'latin1')) {
      bytes.writeUInt32LE(claim, at + 20);
      bytes.writeUInt32LE(claim, at + 24);
    }
    writeFileSync(path, bytes);
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', expected: expect.stringContaining('overlap') });
  });

  it.skipIf(isOne)('that is a ZIP bomb: a file expands more than a thousand times', async () => {
    const path = await writeWacz(waczFiles(new Map([['archive/a.warc', Buffer.alloc((1 << 26) + (1 << 20))]])), true);
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-encoding', expected: 'data that expands at most 1000 times' });
  });

  it.skipIf(isOne)('that is another ZIP file, but reads its members, even if they expand hundreds of times', async () => {
    const path = join(temporaryFolder(), 'a.zip');
    const spaces = ' '.repeat(70_000_000);
    writeFileSync(path, await zipOf({ '1.json': '{}', '2.json': `{"x":"${randomBytes(80_000).toString('hex')}"}${spaces}` }));
    expect(statSync(path).size).toBeLessThan(spaces.length / 400);
    const { code, stderr } = await palimpsestHere(['import', path, '--store', join(temporaryFolder(), 's.db')]);
    expect([code, stderr.includes(`${path}: 1.json, line 1`), stderr.includes(`${path}: 2.json, line 1`)]).toEqual([1, true, true]);
  });
});

describe('import refuses a bag', () => {
  const PAGE = 'data/rest/data/page/2/index.json';

  it.each<readonly [string, (bag: string) => void]>([
    ['of which a page was changed', (bag) => writeFileSync(join(bag, PAGE), readFileSync(join(bag, PAGE), 'utf8').replace('Bio', 'BIO'))],
    ['of which a page is missing', (bag) => rmSync(join(bag, PAGE))],
    ['with a file that is in no manifest', (bag) => writeFileSync(join(bag, 'data/rest/data/more.json'), '{}')],
    ['whose bag-info.txt was changed', (bag) => writeFileSync(join(bag, 'bag-info.txt'), 'Contact-Name: x\n')],
    ['without a manifest', (bag) => ['manifest-sha256.txt', 'tagmanifest-sha256.txt'].map((name) => rmSync(join(bag, name)))],
    ['of an unknown version', (bag) => writeFileSync(join(bag, 'bagit.txt'), 'BagIt-Version: 9.0\nTag-File-Character-Encoding: UTF-8\n')],
    [
      'whose manifest leads out of it',
      (bag) => {
        rmSync(join(bag, 'tagmanifest-sha256.txt'));
        const manifest = join(bag, 'manifest-sha256.txt');
        writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}${'0'.repeat(64)}  data/../../outside\n`);
      },
    ],
  ])('%s', async (_, change) => {
    const bag = join(temporaryFolder(), 'bag');
    await writeBag(openVerified(out), bag);
    change(bag);
    await expect(open(bag)).rejects.toMatchObject({ code: 'bad-archive', place: { file: bag } });
  });

  it('and reads a WARC in a bag of another tool', async () => {
    const bag = join(temporaryFolder(), 'bag');
    mkdirSync(join(bag, 'data'), { recursive: true });
    writeFileSync(join(bag, 'data/a.warc.gz'), WARC);
    cpSync(join(bag, 'data/a.warc.gz'), join(bag, 'data/b c%0A.warc.gz'));
    const md5 = createHash('md5').update(WARC).digest('hex');
    writeFileSync(join(bag, 'bagit.txt'), 'BagIt-Version: 0.97\r\nTag-File-Character-Encoding: UTF-8\r\n');
    writeFileSync(join(bag, 'manifest-md5.txt'), `${md5.toUpperCase()} *data/a.warc.gz\r\n${md5}  ./data/b c%250A.warc.gz`);
    const { reports } = await open(bag);
    expect(reports.map(({ pages }) => pages)).toEqual([4, 4]);
  });
});
