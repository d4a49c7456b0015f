import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeBag } from '../../src/archive/bag.ts';
import { importInputs } from '../../src/import/import.ts';
import { openArchives } from '../../src/sources/archives/open-archives.ts';
import { inputsOf } from '../../src/sources/inputs.ts';
import { openVerified } from '../../src/tree/verified-tree.ts';
import { idsIn } from '../mirror/mirrored.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { archiveOf, folderForFile, SAMPLE, treeOf } from './archived.ts';
import { capture, http, idsDown, pagesOf, writeZip } from './written.ts';

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const open = async (path: string) => await openArchives(inputsOf([path], process.stdin));

const WARC = Buffer.concat([...pagesOf(idsDown(25))].map(([target, body]) => gzipSync(capture(target, http(200, body)))));

/** The files of a WACZ with these WARCs, as other tools write it. */
function waczFiles(warcs: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const resources = [...warcs].map(([path, bytes]) => ({ name: path.split('/').at(-1), path, hash: sha256(bytes), bytes: bytes.length }));
  const datapackage = Buffer.from(JSON.stringify({ profile: 'data-package', wacz_version: '1.1.1', resources }));
  const digest = Buffer.from(JSON.stringify({ path: 'datapackage.json', hash: sha256(datapackage) }));
  return new Map([...warcs, ['datapackage.json', datapackage], ['datapackage-digest.json', digest]]);
}

let folder: string;
let out: string;
let wacz: Buffer;
beforeAll(async () => {
  folder = folderForFile();
  out = await treeOf(folder, SAMPLE);
  wacz = readFileSync(await archiveOf(out, 'wacz', join(folder, 'a.wacz')));
});

describe('import of a WACZ', () => {
  it('reads all WARCs of the archive, stored or deflated', async () => {
    for (const compress of [false, true]) {
      const path = join(temporaryFolder(), 'a.wacz');
      const members = [...pagesOf(idsDown(25))].map(([target, body]) => gzipSync(capture(target, http(200, body))));
      const warcs = new Map([
        ['archive/one.warc.gz', Buffer.concat(members.slice(0, 2))],
        ['archive/two.warc.gz', Buffer.concat(members.slice(2))],
      ]);
      await writeZip(path, waczFiles(warcs), compress);
      const { inputs, reports, close } = await open(path);
      const store = join(temporaryFolder(), 'store.db');
      await importInputs(store, inputs, { onConflict: 'fail', requireComplete: true });
      close();
      expect(idsIn(store)).toEqual(idsDown(25));
      expect(reports).toMatchObject([{ archive: path, pages: 4 }]);
    }
  });
});

describe('import refuses a WACZ', () => {
  it('that is cut short', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    for (let length = 10; length < wacz.length; length += 997) {
      writeFileSync(path, wacz.subarray(0, length));
      await expect(open(path), `cut at ${length}`).rejects.toMatchObject({ code: 'bad-archive' });
    }
  });

  it('of which one byte was changed, unless it is one that means nothing', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    let harmless = 0;
    const step = 61;
    for (let at = 0; at < wacz.length; at += step) {
      const changed = Buffer.from(wacz);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      const outcome = await open(path).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) {
        const { reports, close } = outcome as Awaited<ReturnType<typeof openArchives>>;
        close();
        // a date or a copy of a number in a header of the ZIP
        expect(reports, `byte ${at}`).toMatchObject([{ pages: 5, missing: [] }]);
        harmless += 1;
      }
    }
    // the bytes of the files are more than 95 % of the archive
    expect(harmless).toBeLessThan((wacz.length / step) * 0.05);
  });

  it.each([
    ['a name that leads out of the folder', '../../../../tmp/evil.gz'],
    ['an absolute name', '/etc/cron.d/evil0000000'],
    ['a name with backslashes', '..\\..\\windows\\evil.warc'],
    ['a drive', 'C:/windows/system/evil.'],
  ])('with %s', async (_, name) => {
    const path = join(temporaryFolder(), 'a.wacz');
    const safe = 'archive/aaaaaaa.warc.gz';
    expect(name).toHaveLength(safe.length);
    await writeZip(
      path,
      waczFiles(
        new Map([
          ['archive/data.warc.gz', WARC],
          [safe, WARC],
        ]),
      ),
    );
    const bytes = readFileSync(path).toString('latin1').replaceAll(`${safe}PK`, `${name}PK`).replaceAll(safe, name);
    writeFileSync(path, Buffer.from(bytes, 'latin1'));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', place: { file: path } });
  });

  it('with one name twice', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    await writeZip(path, new Map([...waczFiles(new Map([['archive/a.warc.gz', WARC]])), ['archive/b.warc.gz', WARC]]));
    writeFileSync(path, Buffer.from(readFileSync(path).toString('latin1').replaceAll('archive/b.', 'archive/a.'), 'latin1'));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', found: 'archive/a.warc.gz twice' });
  });

  it('with a WARC that datapackage.json does not list, or another hash, or a missing file', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    const files = waczFiles(new Map([['archive/a.warc.gz', WARC]]));
    await writeZip(path, new Map([...files, ['archive/b.warc.gz', WARC]]));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', expected: expect.stringContaining('archive/b.warc.gz') });
    await writeZip(path, new Map([...files, ['archive/a.warc.gz', Buffer.concat([WARC, WARC])]]));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', found: 'another hash' });
    await writeZip(path, new Map([...files].filter(([name]) => name !== 'archive/a.warc.gz')));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', expected: 'the file archive/a.warc.gz' });
    await writeZip(path, new Map([...files, ['datapackage.json', Buffer.from(`${files.get('datapackage.json')} `)]]));
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', found: 'another hash' });
  });

  it('that is a ZIP bomb: a file that expands a thousand times, and files that overlap', async () => {
    const path = join(temporaryFolder(), 'a.wacz');
    const zeros = Readable.from(
      (function* () {
        for (let piece = 0; piece < 128; piece += 1) yield Buffer.alloc(1 << 20);
      })(),
    );
    await writeZip(path, new Map<string, Buffer | Readable>([['archive/a.warc', zeros], ...waczFiles(new Map())]), true);
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', expected: expect.stringContaining('250 times') });
    await writeZip(
      path,
      waczFiles(
        new Map([
          ['archive/a.warc.gz', WARC],
          ['archive/b.warc.gz', WARC],
        ]),
      ),
    );
    const bytes = readFileSync(path);
    // each entry claims the bytes of both
    for (let at = bytes.indexOf('PK\x01\x02', 0, 'latin1'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 4, 'latin1')) {
      bytes.writeUInt32LE(Math.floor(bytes.length * 0.8), at + 20);
      bytes.writeUInt32LE(Math.floor(bytes.length * 0.8), at + 24);
    }
    writeFileSync(path, bytes);
    await expect(open(path)).rejects.toMatchObject({ code: 'bad-archive', expected: expect.stringContaining('overlap') });
  });

  it('that is another ZIP file, but reads its members', async () => {
    const path = join(temporaryFolder(), 'a.zip');
    await writeZip(path, new Map([['1.json', Buffer.from('{}')]]));
    const { code, stderr } = await palimpsest(['import', path, '--store', join(temporaryFolder(), 's.db')]);
    expect([code, stderr.includes(`${path}: 1.json, line 1`)]).toEqual([1, true]);
  });
});

describe('import refuses a bag', () => {
  /** A copy of the bag of the sample, after a change. */
  async function changedBag(change: (bag: string) => void): Promise<string> {
    const bag = join(temporaryFolder(), 'bag');
    await writeBag(openVerified(out), bag, undefined);
    change(bag);
    return bag;
  }
  const PAGE = 'data/rest/data/page/2/index.json';

  it.each<readonly [string, (bag: string) => void]>([
    ['of which a page was changed', (bag) => writeFileSync(join(bag, PAGE), readFileSync(join(bag, PAGE), 'utf8').replace('Bio', 'BIO'))],
    ['of which a page is missing', (bag) => rmSync(join(bag, PAGE))],
    ['with a file that is in no manifest', (bag) => writeFileSync(join(bag, 'data/rest/data/more.json'), '{}')],
    ['whose bag-info.txt was changed', (bag) => writeFileSync(join(bag, 'bag-info.txt'), 'Contact-Name: x\n')],
    ['without a manifest', (bag) => ['manifest-sha256.txt', 'tagmanifest-sha256.txt'].map((name) => rmSync(join(bag, name)))],
    ['of an unknown version', (bag) => writeFileSync(join(bag, 'bagit.txt'), 'BagIt-Version: 9.0\nTag-File-Character-Encoding: UTF-8\n')],
    ['with a link in it', (bag) => symlinkSync('/etc/passwd', join(bag, 'data/link'))],
    [
      'whose manifest leads out of it',
      (bag) => {
        rmSync(join(bag, 'tagmanifest-sha256.txt'));
        const manifest = join(bag, 'manifest-sha256.txt');
        writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}${'0'.repeat(64)}  data/../../outside\n`);
      },
    ],
  ])('%s', async (_, change) => {
    const bag = await changedBag(change);
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
