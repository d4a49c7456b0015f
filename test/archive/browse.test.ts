import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openPromise } from 'yauzl';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { archiveOf, BASE_URL, differencesAfterImport, folderForFile, SAMPLE, treeOf } from './archived.ts';
import { readMembers, splitMessage } from './warc-reader.ts';

const folder = folderForFile();
let out = '';
let browse: Map<string, Buffer>;

beforeAll(async () => {
  out = await treeOf(folder, SAMPLE, ['--html', '--page-size', '10']);
  browse = new Map([...filesIn(out)].filter(([path]) => path === 'index.html' || path.startsWith('browse/')));
});

async function fileInZip(path: string, name: string): Promise<Buffer> {
  const zip = await openPromise(path, { autoClose: false });
  const pieces: Buffer[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === name) for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
  }
  zip.close();
  return Buffer.concat(pieces);
}

it('a WACZ has each browse file at its address, and the home page as the first entry point', async () => {
  const wacz = await archiveOf(out, 'wacz', join(folder, 'history.wacz'));
  const warc = await fileInZip(wacz, 'archive/data.warc.gz');
  const lines = (await fileInZip(wacz, 'indexes/index.cdx')).toString().trimEnd().split('\n');
  expect(lines).toEqual(lines.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  const found = new Map(
    lines.map((line) => {
      const { url, mime, digest, offset, length } = JSON.parse(line.slice(line.indexOf('{')));
      const [record] = readMembers(warc.subarray(Number(offset), Number(offset) + Number(length)));
      const { head, body } = splitMessage(record?.block ?? Buffer.alloc(0));
      expect(digest).toBe(`sha256:${createHash('sha256').update(body).digest('hex')}`);
      expect(head.toLowerCase()).toContain(`content-type: ${mime}`);
      return [String(url), body];
    }),
  );
  for (const [path, bytes] of browse) expect(found.get(`${BASE_URL}/${path}`), path).toEqual(bytes);
  expect(found.get(`${BASE_URL}/`)).toEqual(browse.get('index.html'));
  const entries = (await fileInZip(wacz, 'pages/pages.jsonl')).toString().trimEnd().split('\n');
  expect(entries.map((line) => JSON.parse(line)).map(({ url }) => url)).toEqual([
    undefined,
    `${BASE_URL}/`,
    `${BASE_URL}/rest/data/`,
    `${BASE_URL}/rest/account/`,
  ]);
  expect(JSON.parse((await fileInZip(wacz, 'datapackage.json')).toString())).toMatchObject({ mainPageUrl: `${BASE_URL}/` });
  const again = await archiveOf(out, 'wacz', join(folder, 'again.wacz'), 'Asia/Tokyo');
  expect(readFileSync(again).equals(readFileSync(wacz))).toBe(true);
});

it.each([
  ['wacz', 'imported.wacz'],
  ['warc', 'imported.warc.gz'],
  ['bag', 'imported-bag'],
])('an import of a %s leaves out the browse files, and the next build makes them again', async (form, name) => {
  const archive = await archiveOf(out, form, join(folder, name));
  const options = ['--html', '--page-size', '10'];
  expect(await differencesAfterImport(archive, join(folder, form), out, options)).toEqual([]);
  const { archives = [] } = await palimpsestJson(['import', archive, '--store', join(folder, `${form}-2.db`)]);
  if (form !== 'bag') expect(archives).toMatchObject([{ failed: 0, missing: [], other: browse.size + 1 }]);
});

it('a bag has the browse files in its payload and its manifest', async () => {
  const bag = await archiveOf(out, 'bag', join(folder, 'listed-bag'));
  const manifest = readFileSync(join(bag, 'manifest-sha256.txt'), 'utf8');
  for (const [path, bytes] of browse) {
    expect(readFileSync(join(bag, 'data', path))).toEqual(bytes);
    expect(manifest).toContain(`${createHash('sha256').update(bytes).digest('hex')}  data/${path}\n`);
  }
});
