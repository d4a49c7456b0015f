import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeBag } from '../../src/archive/bag.ts';
import { writeWacz } from '../../src/archive/wacz.ts';
import { writeWarc } from '../../src/archive/warc.ts';
import { machineId } from '../../src/contract/files/running-process.ts';
import { openVerified } from '../../src/tree/verified-tree.ts';
import { account } from '../mirror/canned-service.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { zipOf } from '../verify/damaged-zip.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences } from '../whole/trees.ts';
import { archiveOf, differencesAfterImport, FORMS, SAMPLE, treeOf } from './archived.ts';

const WRITERS = { wacz: writeWacz, warc: writeWarc, bag: writeBag };

const OPTIONS = ['--html', '--compress', 'gzip', '--page-size', '10'];
let out: string;
beforeAll(async () => {
  out = await treeOf(folderOfFile(), SAMPLE, OPTIONS);
});

describe('palimpsest archive', () => {
  it.each(FORMS)(
    '%s: two runs write the same bytes to %s, and an import of them builds the same tree, also browse files',
    async (form, name) => {
      const folder = temporaryFolder();
      const [one, other] = [join(folder, name), join(folder, `other-${name}`)];
      await archiveOf(out, form, one);
      await archiveOf(out, form, other, 'Asia/Kolkata');
      if (form === 'bag') expect(differences(filesIn(other), filesIn(one))).toEqual([]);
      else expect(readFileSync(other).equals(readFileSync(one))).toBe(true);
      expect(await differencesAfterImport(one, folder, out, OPTIONS)).toEqual([]);
    },
  );

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

  it.each(['bag', 'bag/', 'bag/.'])(
    'writes a bag to the folder --to %s, and does not replace an empty one, because it may be a mount point',
    async (to) => {
      const folder = temporaryFolder();
      for (const empty of ['bag', 'other']) mkdirSync(join(folder, empty));
      await writeBag(openVerified(out), join(folder, 'other', to.replace('/.', '/')));
      const { ino } = statSync(join(folder, 'bag'));
      await writeBag(openVerified(out), `${folder}/${to}`);
      expect(statSync(join(folder, 'bag')).ino).toBe(ino);
      expect(differences(filesIn(join(folder, 'bag')), filesIn(join(folder, 'other/bag')))).toEqual([]);
      expect(readdirSync(join(folder, 'bag'))).toEqual(readdirSync(join(folder, 'other/bag')));
      expect([readdirSync(folder), readdirSync(join(folder, 'other'))]).toEqual([['bag', 'other'], ['bag']]);
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

  it.each([
    ['a new folder', '.bag'],
    ['an existing one', 'bag/.bag'],
  ])('refuses to write a bag into %s that another process is writing', async (where, name) => {
    const folder = temporaryFolder();
    const bag = join(folder, 'bag');
    if (where === 'an existing one') mkdirSync(bag);
    const draft = join(folder, `${name}.palimpsest-${machineId().slice(0, 8)}-${process.ppid}.draft`);
    mkdirSync(draft);
    const before = readdirSync(folder, { recursive: true });
    await expect(writeBag(openVerified(out), bag)).rejects.toMatchObject({ code: 'tree-busy', place: { file: bag } });
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    rmdirSync(draft);
    await writeBag(openVerified(out), bag);
  });

  it('keeps an earlier bag if the new one cannot be moved into its place', async () => {
    const bag = join(temporaryFolder(), 'bag');
    await writeBag(openVerified(out), bag);
    const before = [...filesIn(bag)];
    const onProgress = () => void mkdirSync(join(bag, 'identities.ndjson/other'), { recursive: true });
    await expect(writeBag(openVerified(out), bag, { identities: ['{}\n'], onProgress })).rejects.toMatchObject({ code: 'file-system' });
    expect([...filesIn(bag)]).toEqual(before);
  });

  it('dates the records to the time of build.json or of the ZIP, also of a tree without change records', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'accounts.ndjson'), JSON.stringify(account('otter', [])));
    const silent = await treeOf(folder, join(folder, 'accounts.ndjson'));
    const zip = zipOf(silent, join(folder, 'tree.zip'));
    const [one, other] = [new Date('2024-03-05T01:02:03.900Z'), new Date('2025-03-05T01:02:03Z')];
    utimesSync(join(silent, 'build.json'), one, one);
    utimesSync(zip, other, other);
    const datesOf = async (tree: string, name: string) => {
      const archive = await archiveOf(tree, 'warc', join(folder, name));
      return new Set(Array.from(readFileSync(archive, 'utf8').matchAll(/\r\nWARC-Date: (.*)\r\n/g), ([, date]) => date));
    };
    expect(await datesOf(silent, 'a.warc')).toEqual(new Set(['2024-03-05T01:02:03Z']));
    expect(await datesOf(zip, 'b.warc')).toEqual(new Set(['2025-03-05T01:02:03Z']));
    expect(await differencesAfterImport(join(folder, 'a.warc'), folder, silent)).toEqual([]);
  });

  it('writes more lines to bag-info.txt with --bag-info', async () => {
    const bag = join(temporaryFolder(), 'bag');
    const info = (...lines: string[]) =>
      palimpsestHere(['archive', 'bag', '--out', out, '--to', bag, ...lines.flatMap((line) => ['--bag-info', line])]);
    for (const line of [
      'Payload-Oxum=1.1',
      'bag-software-agent=x',
      'Contact Name=x',
      'Contact-Name',
      'Contact-Name=',
      'Contact-Name=a\nb: c',
      'Contact-Name=a\u2029b: c',
    ]) {
      expect(await info(line), line).toMatchObject({ code: 2, stderr: expect.stringContaining('--bag-info') });
    }
    expect((await info('Source-Organization=Ärchive = one', 'Contact-Email=a@b.example', 'Contact-Email=c@d.example')).code).toBe(0);
    expect(readFileSync(join(bag, 'bag-info.txt'), 'utf8').split('\n').slice(-4)).toEqual([
      'Source-Organization: Ärchive = one',
      'Contact-Email: a@b.example',
      'Contact-Email: c@d.example',
      '',
    ]);
    const { status } = spawnSync('sha256sum', ['-c', '--strict', '--quiet', 'tagmanifest-sha256.txt'], { cwd: bag });
    expect(status).toBe(0);
    expect(await palimpsestHere(['verify', '--out', bag])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`name ${bag}/data with --out`),
    });
    expect(await palimpsestJson(['import', bag, '--store', join(bag, '../copy.db'), '--require-complete'])).toMatchObject({ rejected: 0 });
  });
});

describe('palimpsest archive refuses', () => {
  it('a tree that was changed after the build, and writes nothing', async () => {
    const folder = temporaryFolder();
    const tree = join(folder, 'out');
    cpSync(out, tree, { recursive: true });
    writeFileSync(join(tree, 'rest/data/page/2/index.json'), '{}');
    for (const [form, name] of FORMS) {
      await expect(WRITERS[form](openVerified(tree), join(folder, name))).rejects.toMatchObject({ code: 'tree-edited' });
    }
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it('a target that cannot be written', async () => {
    const folder = temporaryFolder();
    for (const [form] of FORMS.slice(0, 2)) {
      await expect(WRITERS[form](openVerified(out), join(folder, 'missing/a'))).rejects.toMatchObject({ code: 'file-system' });
      await expect(WRITERS[form](openVerified(out), folder)).rejects.toMatchObject({ code: 'file-system' });
    }
    writeFileSync(join(folder, 'file'), '');
    await expect(writeBag(openVerified(out), folder)).rejects.toMatchObject({ code: 'not-ours', found: 'a folder that contains file' });
    await expect(writeBag(openVerified(out), join(folder, 'file'))).rejects.toMatchObject({ code: 'not-ours', found: 'a file' });
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('a path inside the tree, and a file name of another form', async () => {
    expect(await palimpsestHere(['archive', 'warc', '--out', out, '--to', join(out, 'a.warc')])).toMatchObject({ code: 2 });
    const other = await palimpsestHere(['archive', 'wacz', '--to', 'history.zip']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('.wacz') });
  });
});
