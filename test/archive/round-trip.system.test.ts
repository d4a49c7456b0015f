import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeBag } from '../../src/archive/bag.ts';
import { writeWacz } from '../../src/archive/wacz.ts';
import { writeWarc } from '../../src/archive/warc-file.ts';
import { openVerified } from '../../src/tree/verified-tree.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { zipOf } from '../verify/damaged-zip.ts';
import { differences } from '../whole/trees.ts';
import { archiveOf, differencesAfterImport, FORMS, folderForFile, SAMPLE, treeOf } from './archived.ts';

const SAVED_PAGES = fileURLToPath(new URL('../../../shared/data/saved-pages', import.meta.url));
const WRITERS = { wacz: writeWacz, warc: writeWarc, bag: writeBag };

const COMPRESS = ['--compress', 'gzip'];
let out: string;
beforeAll(async () => {
  out = await treeOf(folderForFile(), SAMPLE, COMPRESS);
});

describe('palimpsest archive', () => {
  it.each(FORMS)('%s: two runs write the same bytes to %s, and an import of them builds the same tree', async (form, name) => {
    const folder = temporaryFolder();
    const [one, other] = [join(folder, name), join(folder, `other-${name}`)];
    await archiveOf(out, form, one, 'UTC');
    await archiveOf(out, form, other, 'Asia/Kolkata');
    if (form === 'bag') expect(differences(filesIn(other), filesIn(one))).toEqual([]);
    else expect(readFileSync(other).equals(readFileSync(one))).toBe(true);
    expect(await differencesAfterImport(one, folder, out, COMPRESS)).toEqual([]);
  });

  it('writes a bag that sha256sum accepts, with every file of the tree', async () => {
    const bag = join(temporaryFolder(), 'bag');
    await writeBag(openVerified(out), bag);
    for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
      const { status, stderr } = spawnSync('sha256sum', ['-c', '--strict', '--quiet', manifest], { cwd: bag, encoding: 'utf8' });
      expect([manifest, status, stderr]).toEqual([manifest, 0, '']);
    }
    expect(differences(filesIn(join(bag, 'data')), filesIn(out))).toEqual([]);
    const fromZip = join(temporaryFolder(), 'bag');
    await writeBag(openVerified(zipOf(out, join(temporaryFolder(), 'tree.zip'))), fromZip);
    expect(differences(filesIn(fromZip), filesIn(bag))).toEqual([]);
    const payload = [...filesIn(bag)].filter(([path]) => path.startsWith('data/'));
    const listed = readFileSync(join(bag, 'manifest-sha256.txt'), 'utf8').trimEnd().split('\n');
    expect(listed.map((line) => line.slice(66)).toSorted()).toEqual(payload.map(([path]) => path).toSorted());
    const bytes = payload.reduce((sum, [, content]) => sum + content.length, 0);
    expect(readFileSync(join(bag, 'bag-info.txt'), 'utf8')).toContain(`\nPayload-Oxum: ${bytes}.${payload.length}\n`);
  });

  it.each(['bag', 'bag/'])('writes a bag to the new folder --to %s', async (to) => {
    const folder = temporaryFolder();
    await writeBag(openVerified(out), join(folder, to));
    expect(readdirSync(folder)).toEqual(['bag']);
    expect(readdirSync(join(folder, 'bag'))).toContain('bagit.txt');
  });

  it.each(['bag', 'bag/', 'bag/.'])(
    'fills the empty folder --to %s, and does not replace it, because it may be a mount point',
    async (to) => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'bag'));
      const { ino } = statSync(join(folder, 'bag'));
      await writeBag(openVerified(out), `${folder}/${to}`);
      await writeBag(openVerified(out), join(folder, 'other'));
      expect(statSync(join(folder, 'bag')).ino).toBe(ino);
      expect(differences(filesIn(join(folder, 'bag')), filesIn(join(folder, 'other')))).toEqual([]);
      expect(readdirSync(join(folder, 'bag'))).toEqual(readdirSync(join(folder, 'other')));
      expect(readdirSync(folder)).toEqual(['bag', 'other']);
    },
  );

  it('moves bagit.txt into an empty folder last, and empties the folder again if that fails', async () => {
    const bag = join(temporaryFolder(), 'bag');
    mkdirSync(bag);
    // another program takes the name of the last file meanwhile
    const onProgress = () => void mkdirSync(join(bag, 'bagit.txt'), { recursive: true });
    await expect(writeBag(openVerified(out), bag, { onProgress })).rejects.toMatchObject({ code: 'file-system', place: { file: bag } });
    expect(readdirSync(bag)).toEqual(['bagit.txt']);
  });

  it('dates the records of a tree without change records to 1970', async () => {
    const folder = temporaryFolder();
    const account =
      '{"screen_name":"otter","account_creation_date":null,"profile_image_url":"","data":[],"data_page_count":0,"display_name":"","website":null,"location":"","bio":""}';
    writeFileSync(join(folder, 'accounts.ndjson'), account);
    const silent = await treeOf(folder, join(folder, 'accounts.ndjson'));
    const archive = await archiveOf(silent, 'warc', join(folder, 'a.warc'));
    expect(readFileSync(archive, 'utf8')).toContain('\r\nWARC-Date: 1970-01-01T00:00:00Z\r\n');
    expect(await differencesAfterImport(archive, folder, silent)).toEqual([]);
  });
});

describe.skipIf(!existsSync(SAVED_PAGES))('the saved pages of a real service come back', () => {
  let real: string;
  let folder: string;
  beforeAll(async () => {
    folder = folderForFile();
    real = await treeOf(folder, SAVED_PAGES);
  });

  it.each(FORMS)('from %s %s', async (form, name) => {
    const work = temporaryFolder();
    expect(await differencesAfterImport(await archiveOf(real, form, join(work, name)), work, real)).toEqual([]);
  });

  it('from an export as NDJSON', async () => {
    const exported = async (store: string) => (await palimpsestHere(['export', 'ndjson', '--to', '-', '--store', store])).stdout;
    const [input, copy] = [await exported(join(folder, 'store.db')), join(temporaryFolder(), 'copy.db')];
    expect(await palimpsestHere(['import', '-', '--store', copy], { input })).toMatchObject({ code: 0 });
    expect(await exported(copy)).toBe(input);
  });
});

describe('palimpsest archive refuses', () => {
  it.each(FORMS)('%s: a tree that was changed after the build, and writes nothing to %s', async (form, name) => {
    const folder = temporaryFolder();
    const tree = join(folder, 'out');
    cpSync(out, tree, { recursive: true });
    writeFileSync(join(tree, 'rest/data/page/2/index.json'), '{}');
    await expect(WRITERS[form](openVerified(tree), join(folder, name))).rejects.toMatchObject({ code: 'tree-edited' });
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it('a target that cannot be written', async () => {
    const folder = temporaryFolder();
    for (const [form] of FORMS.slice(0, 2)) {
      await expect(WRITERS[form](openVerified(out), join(folder, 'missing/a'))).rejects.toMatchObject({ code: 'file-system' });
      await expect(WRITERS[form](openVerified(out), folder)).rejects.toMatchObject({ code: 'file-system' });
    }
    writeFileSync(join(folder, 'file'), '');
    await expect(writeBag(openVerified(out), folder)).rejects.toMatchObject({ code: 'not-ours', found: 'a folder with file' });
    await expect(writeBag(openVerified(out), join(folder, 'file'))).rejects.toMatchObject({ code: 'not-ours', found: 'a file' });
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('a path inside the tree', async () => {
    expect(await palimpsestHere(['archive', 'warc', '--out', out, '--to', join(out, 'a.warc')])).toMatchObject({ code: 2 });
  });

  it('a file name of another form', async () => {
    const { code, stderr } = await palimpsestHere(['archive', 'wacz', '--to', 'history.zip']);
    expect(code).toBe(2);
    expect(stderr).toContain('.wacz');
  });
});
