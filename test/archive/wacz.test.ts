import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPromise } from 'yauzl';
import { filesIn } from '../support/folder.ts';
import { folderOfFile } from '../whole/stores.ts';
import { archiveOf, BASE_URL, SAMPLE, treeOf } from './archived.ts';
import { readMembers } from './warc-reader.ts';

const PAGES = { data: 31, account: 4 };

/** The addresses of all pages, each with its file in the tree. */
function addresses(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [collection, pages] of Object.entries(PAGES)) {
    const address = `${BASE_URL}/rest/${collection}/`;
    files.set(address, `rest/${collection}/index.json`);
    for (let page = 1; page <= pages; page += 1) files.set(`${address}?page=${page}`, `rest/${collection}/page/${page}/index.json`);
  }
  return files;
}

async function filesInZip(path: string): Promise<Map<string, Buffer>> {
  const zip = await openPromise(path, { autoClose: false });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    expect([entry.fileName, entry.compressionMethod]).toEqual([entry.fileName, 0]);
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
    files.set(entry.fileName, Buffer.concat(pieces));
  }
  zip.close();
  return files;
}

describe('a WACZ', () => {
  const folder = folderOfFile();
  const wacz = join(folder, 'history.wacz');
  let files: Map<string, Buffer>;
  let pages: Map<string, Buffer>;
  let browse: Map<string, Buffer>;
  let built = '';
  beforeAll(async () => {
    const out = await treeOf(folder, SAMPLE, ['--html', '--page-size', '10', '--account-page-size', '10']);
    pages = new Map([...addresses()].map(([url, path]) => [url, readFileSync(join(out, path))]));
    built = `${statSync(join(out, 'build.json')).mtime.toISOString().slice(0, 19)}Z`;
    const browseFiles = [...filesIn(out)].filter(([path]) => path === 'index.html' || path.startsWith('browse/'));
    browse = new Map(browseFiles.map(([path, bytes]) => [`${BASE_URL}/${path}`, bytes]));
    browse.set(`${BASE_URL}/`, browse.get(`${BASE_URL}/index.html`) ?? Buffer.alloc(0));
    files = await filesInZip(await archiveOf(out, 'wacz', wacz));
  });
  const fileAt = (path: string) => files.get(path) ?? Buffer.alloc(0);

  it('has the files of WACZ 1.1.1, stored without compression', () => {
    expect([...files.keys()]).toEqual([
      'archive/data.warc.gz',
      'indexes/index.cdx',
      'pages/pages.jsonl',
      'datapackage.json',
      'datapackage-digest.json',
    ]);
  });

  it('has every page at its real address as a resource with the time of the build, as an independent reader sees it', () => {
    const [info, ...resources] = readMembers(fileAt('archive/data.warc.gz'));
    expect(info?.fields.get('warc-type')).toBe('warcinfo');
    expect(info?.block.toString()).toMatch(/^software: palimpsest [\d.]+\r\nformat: WARC File Format 1\.1\r\n/);
    const ids = new Set<string>();
    const urls = resources.map(({ fields }) => fields.get('warc-target-uri') ?? '');
    expect(urls.slice(0, pages.size)).toEqual([...pages.keys()]);
    expect(new Set(urls.slice(pages.size))).toEqual(new Set(browse.keys()));
    for (const [index, { fields, block }] of resources.entries()) {
      const url = urls[index] ?? '';
      ids.add(fields.get('warc-record-id') ?? '');
      expect(block.equals(browse.get(url) ?? pages.get(url) ?? Buffer.alloc(0)), url).toBe(true);
      const type = browse.has(url) ? expect.stringMatching(/^[a-z]+\/[a-z+]+(;|$)/) : 'application/json';
      expect([fields.get('warc-type'), fields.get('content-type')], url).toEqual(['resource', type]);
      const sha256 = `sha256:${createHash('sha256').update(block).digest('hex')}`;
      expect([fields.get('warc-payload-digest'), fields.get('warc-block-digest')]).toEqual([sha256, sha256]);
      expect(fields.get('warc-date')).toBe(built);
      expect(fields.get('warc-record-id')).toMatch(/^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/);
    }
    expect(ids.size).toBe(resources.length);
  });

  it('has an index that is sorted and points to the record of every page', () => {
    const lines = fileAt('indexes/index.cdx').toString().trimEnd().split('\n');
    const bytes = lines.map((line) => Buffer.from(line));
    expect(bytes.toSorted(Buffer.compare)).toEqual(bytes);
    const entries = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))));
    expect(new Set(entries.map(({ url }) => url))).toEqual(new Set([...pages.keys(), ...browse.keys()]));
    const records = new Map(readMembers(fileAt('archive/data.warc.gz')).map((record) => [record.offset, record]));
    for (const { url, offset, length, digest, status, mime, filename } of entries) {
      const record = records.get(Number(offset));
      expect([record?.fields.get('warc-target-uri'), record?.length, record?.fields.get('warc-payload-digest')]).toEqual([
        url,
        Number(length),
        digest,
      ]);
      expect([status, filename]).toEqual(['200', 'data.warc.gz']);
      expect(record?.fields.get('content-type')?.split(';')[0]).toBe(mime);
    }
    expect(lines.find((line) => line.includes('"https://example.org/api/rest/data/?page=10"'))).toMatch(
      /^org,example\)\/api\/rest\/data\/\?page=10 \d{14} \{/,
    );
  });

  it('has a title, and the time of the build as the time of its creation and of each page', () => {
    const { records, accounts } = JSON.parse(readFileSync(join(folder, 'out/build.json'), 'utf8'));
    expect(JSON.parse(fileAt('datapackage.json').toString())).toMatchObject({
      title: `Profile changes of ${accounts} accounts from ${BASE_URL}`,
      description: expect.stringContaining(`${records} records`),
      created: built,
      mainPageDate: built,
    });
  });

  it('lists only the entry points as pages, with the home page first', () => {
    const [first, ...entries] = fileAt('pages/pages.jsonl')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ format: 'json-pages-1.0', id: 'pages' });
    expect(entries.map(({ url }) => url)).toEqual([`${BASE_URL}/`, `${BASE_URL}/rest/data/`, `${BASE_URL}/rest/account/`]);
  });
});
