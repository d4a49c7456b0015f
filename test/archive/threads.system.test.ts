import { cpSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeWacz } from '../../src/archive/wacz.ts';
import { writeWarc } from '../../src/archive/warc.ts';
import { openVerified } from '../../src/tree/verified-tree.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { zipOf } from '../verify/damaged-zip.ts';
import { mountDisk } from '../whole/disks.ts';
import { folderOfFile } from '../whole/stores.ts';
import { SAMPLE, treeOf } from './archived.ts';

const FORMS = [
  ['history.wacz', 'wacz', writeWacz],
  ['history.warc.gz', 'warc', writeWarc],
  ['history.warc', 'warc', writeWarc],
] as const;
let out: string;
let dataPages = 0;

beforeAll(async () => {
  out = await treeOf(folderOfFile(), SAMPLE, ['--page-size', '1', '--account-page-size', '1']);
  const { data_pages, account_pages } = openVerified(out).build;
  // with fewer pages, no threads are started
  expect(data_pages + account_pages).toBeGreaterThan(200);
  dataPages = data_pages;
});

describe('an archive that threads write', () => {
  it.each(FORMS)('%s has the same bytes and reports the same progress as one from one thread', async (name, form, write) => {
    const path = join(temporaryFolder(), name);
    const written = async (threads: number | undefined) => {
      const calls: number[][] = [];
      await write(openVerified(out), path, { threads, onProgress: (...call) => calls.push(call) });
      return [readFileSync(path), calls];
    };
    const expected = await written(undefined);
    expect(await written(3)).toEqual(expected);
    const zip = zipOf(out, join(temporaryFolder(), 'tree.zip'));
    // the date of the records
    const { mtime } = statSync(join(out, 'build.json'));
    utimesSync(zip, mtime, mtime);
    await palimpsestJson(['archive', form, '--out', zip, '--to', path]);
    expect(readFileSync(path), 'from a ZIP').toEqual(expected[0]);
  });

  it('is not written if pages were changed, and the first of them is reported', async () => {
    const [copy, folder] = [join(temporaryFolder(), 'out'), temporaryFolder()];
    cpSync(out, copy, { recursive: true });
    for (const page of [3, 4, dataPages]) writeFileSync(join(copy, `rest/data/page/${page}/index.json`), '{"damaged":true}');
    const failureOf = (threads: number | undefined) =>
      writeWacz(openVerified(copy), join(folder, 'history.wacz'), { threads }).catch((error: unknown) => error);
    const failure = await failureOf(3);
    expect(failure).toMatchObject({ code: 'tree-edited', place: { file: join(copy, 'rest/data/page/3/index.json') } });
    expect(failure).toEqual(await failureOf(undefined));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('on a full disk ends the program with one error', async (context) => {
    const { folder } = mountDisk(context, join(temporaryFolder(), 'full'), 'size=64k');
    const { code, stderr } = await palimpsest(['archive', 'wacz', '--out', out, '--to', join(folder, 'history.wacz')], {
      // a thread that still waits for work would keep the process for ever
      onStart: (child) => context.onTestFinished(() => void child.kill('SIGKILL')),
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^error: cannot write .* \(file-system\)\n/) });
    expect(readdirSync(folder)).toEqual([]);
  });
});
