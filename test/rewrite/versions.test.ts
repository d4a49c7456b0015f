import { hash } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { type Open, answer as rewriteAnswer, type Sent } from '../../src/rewrite/answer.ts';
import { inVersions, type Tools } from '../../src/rewrite/versions.ts';
import { openFolder } from '../../src/serve/served-files.ts';
import { BROWSE_FILES } from '../conformance/browse-files.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { publishVersion, readHead, siteOfFile, writeHead } from '../support/versions.ts';

const TOOLS: Tools = {
  sha256: (text) => hash('sha256', text, 'buffer'),
  gunzip: (bytes) => new Uint8Array(gunzipSync(bytes)),
};
const BASE = '/api';
const HOME = 'https://history.example/api';

const { folder, trees, target } = siteOfFile();

type Request = { readonly headers?: Readonly<Record<string, string>>; readonly method?: string; readonly tools?: Tools };

function ask(path: string, { headers = {}, method = 'GET', tools = TOOLS }: Request = {}, open = openFolder(target)): Promise<Sent> {
  return rewriteAnswer({ method, url: `https://a.example${path}`, headers: new Headers(headers) }, BASE, inVersions(open, tools));
}

/** Counts reads. */
function counted(open: Open): { readonly open: Open; readonly reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    open: (path, range) => {
      reads.push(path);
      return open(path, range);
    },
  };
}

/** Returns the address and the bytes of each file of a tree that readers can ask for. */
function* filesOf(tree: string): Generator<readonly [path: string, bytes: Buffer]> {
  for (const [path, bytes] of filesIn(tree)) {
    const [, collection, page] = /^rest\/(data|account)\/page\/(\w+)\/index\.json$/.exec(path) ?? [];
    if (collection !== undefined) yield [`/rest/${collection}/?page=${page}`, bytes];
    if (/^(?:index\.html|browse\/.*\.(?:html|css|js|svg|atom))$/.test(path) && !path.includes('/.')) yield [`/${path}`, bytes];
  }
}

const text = ({ body }: Sent) => Buffer.from(body ?? []).toString();

describe('a site with versions', () => {
  it('answers with the bytes of the current version, with and without gzip', async () => {
    const all = [...filesOf(trees[1])];
    expect(all.length).toBeGreaterThan(20);
    for (const [path, bytes] of all) {
      const [plain, packed] = [await ask(BASE + path), await ask(BASE + path, { headers: { 'Accept-Encoding': 'br, gzip' } })];
      expect([plain.status, text(plain), plain.headers['Palimpsest-Version']], path).toEqual([200, bytes.toString(), '2']);
      expect(packed.headers, path).toMatchObject({ 'Content-Encoding': 'gzip', 'Content-Length': String(packed.body?.length) });
      expect(gunzipSync(packed.body ?? '').toString(), path).toBe(bytes.toString());
      expect(plain.headers['ETag'], path).toBe(`W/"${hash('sha256', bytes).slice(0, 16)}"`);
      expect(plain.headers['Vary'], path).toBe(path.startsWith('/rest/') ? 'Accept, Accept-Encoding' : 'Accept-Encoding');
    }
  });

  it('takes three reads for a page and two for a 304, also of an earlier version', async () => {
    for (const path of [`${BASE}/rest/data/?page=2`, `${BASE}/rest/data/?page=2&as_of=1`, `${BASE}/as_of/1/browse/changes/2.html`]) {
      const [first, again] = [counted(openFolder(target)), counted(openFolder(target))];
      const { headers } = await ask(path, {}, first.open);
      const known = await ask(path, { headers: { 'If-None-Match': `"x", ${headers['ETag']}` } }, again.open);
      expect([first.reads.length, known.status, known.body, again.reads.length], path).toEqual([3, 304, undefined, 2]);
      expect(known.headers['Cache-Control']).toBe(headers['Cache-Control']);
    }
  });

  it.each(['as_of=1', `as_of=${encodeURIComponent('2026-11-21T12:00:00+01:00')}`, 'as_of=2026-11-21', 'x=1&as_of=2&as_of=0001'])(
    'answers ?%s with the earlier version, and next and previous carry the number on',
    async (query) => {
      for (const collection of COLLECTIONS) {
        for (const page of [1, 2]) {
          const sent = await ask(`${BASE}/rest/${collection}/?${query}&page=${page}`);
          const file = readFileSync(join(trees[0], `rest/${collection}/page/${page}/index.json`)).toString();
          const changed = file
            .replaceAll(`"${HOME}/rest/${collection}/"`, `"${HOME}/rest/${collection}/?as_of=1"`)
            .replaceAll(`"${HOME}/rest/${collection}/?page=`, `"${HOME}/rest/${collection}/?as_of=1&page=`);
          expect([sent.status, text(sent)]).toEqual([200, changed]);
          expect(sent.headers).toMatchObject({ 'Palimpsest-Version': '1', 'Cache-Control': 'public, max-age=3600' });
          expect(sent.headers['ETag']).toBe(`W/"${hash('sha256', file).slice(0, 16)}-1"`);
        }
      }
    },
  );

  it('may be cached for the number of a version, but not for a time that the next version can answer', async () => {
    for (const [asOf, cached] of [
      ['2', 'public, max-age=3600'],
      ['2026-11-23', 'public, max-age=0, must-revalidate'],
      ['2999-01-01T00:00:00Z', 'public, max-age=0, must-revalidate'],
    ] as const) {
      for (const path of [`/rest/data/?as_of=${asOf}`, `/as_of/${asOf}/rest/account/`, `/as_of/${asOf}/browse/changes/1.html`]) {
        const { headers } = await ask(BASE + path);
        expect([headers['Palimpsest-Version'], headers['Cache-Control']], path).toEqual(['2', cached]);
      }
    }
  });

  it.each(['1', '2026-11-21', '2026-11-21T00:00Z'])('serves the whole site as it was below /as_of/%s/', async (asOf) => {
    for (const [path, bytes] of filesOf(trees[0])) {
      const sent = await ask(`${BASE}/as_of/${asOf}${path}`);
      const changed = path.startsWith('/rest/')
        ? bytes.toString().replaceAll(`"${HOME}/rest/`, `"${HOME}/as_of/1/rest/`)
        : bytes.toString();
      expect([sent.status, text(sent), sent.headers['Palimpsest-Version']], path).toEqual([200, changed, '1']);
    }
    const redirect = await ask(`${BASE}/as_of/${asOf}/rest/data?page=2`);
    expect([redirect.status, redirect.headers['Location']]).toEqual([301, `${BASE}/as_of/${asOf}/rest/data/?page=2`]);
    expect((await ask(`${BASE}/as_of/${asOf}`)).headers['Location']).toBe(`${BASE}/as_of/${asOf}/`);
    expect(text(await ask(`${BASE}/as_of/${asOf}/`))).toBe(readFileSync(join(trees[0], 'index.html')).toString());
  });

  it.each([
    ['as_of=x', 400],
    ['as_of=3', 404],
    ['as_of=', 200],
    ['as_of=9&as_of=2', 200],
  ] as const)('answers ?%s with %i, in the query and in the path', async (query, status) => {
    const inPath = query.slice(query.lastIndexOf('=') + 1);
    for (const path of [`/rest/data/?${query}`, ...(inPath === '' ? [] : [`/as_of/${inPath}/rest/account/`])]) {
      const sent = await ask(BASE + path);
      expect([sent.status, sent.headers['Content-Type']], path).toEqual([status, 'application/json']);
    }
  });

  it('answers /as_of/ without a state with 400 at once, and paths that only begin like it with 404', async () => {
    const sent = await ask(`${BASE}/as_of/`);
    expect([sent.status, text(sent)]).toEqual([400, expect.stringMatching(/^\{"detail":"Invalid as_of\. /)]);
    for (const path of ['/as_of', '/as_of//', '/as_of//rest/data/', '/as_offer/'])
      expect([path, (await ask(BASE + path)).status]).toEqual([path, 404]);
  });

  it('answers for pages that do not exist and for other paths as with pages as files, and names the version', async () => {
    for (const [path, body] of [
      ['/rest/data/?page=10', '{"detail":"Invalid page."}'],
      ['/as_of/1/rest/data/?page=9', '{"detail":"Invalid page."}'],
      ['/browse/none.html', BROWSE_FILES.get('browse/404.html')],
      ['/as_of/1/browse/none.html', BROWSE_FILES.get('browse/404.html')],
    ] as const) {
      const sent = await ask(BASE + path);
      expect([sent.status, text(sent)]).toEqual([404, body]);
      expect(sent.headers['Palimpsest-Version']).toBe(path.includes('as_of') ? '1' : '2');
    }
    for (const path of ['/build.json', '/browse/notes.txt', '/browse/.hidden.html', '/head.json', '/as_of/1/../build.json'])
      expect([path, (await ask(BASE + path)).status]).toEqual([path, 404]);
    const refused = await ask(`${BASE}/as_of/1/rest/data/`, { method: 'POST' });
    expect([refused.status, text(refused)]).toEqual([405, '{"detail":"Method \\"POST\\" not allowed."}']);
  });

  it('answers an unknown path in JSON if there is no such version, and with 503 if head.json cannot be read', async () => {
    const past = await ask(`${BASE}/as_of/99/nosuch`);
    expect([past.status, text(past)]).toEqual([404, expect.stringMatching(/^\{"detail":"No such version\. /)]);
    expect((await ask(`${BASE}/nosuch`, {}, () => Promise.reject(new Error('EIO')))).status).toBe(503);
  });

  it('changes the base URL in the links of pages if the host says so', async () => {
    const tools = { ...TOOLS, baseUrl: 'http://127.0.0.1:8000/api' };
    const sent = await ask(`${BASE}/rest/data/?page=2`, { tools });
    const file = readFileSync(join(trees[1], 'rest/data/page/2/index.json')).toString();
    expect(text(sent)).toBe(file.replaceAll(`"${HOME}/rest/`, '"http://127.0.0.1:8000/api/rest/'));
  });

  it('lets a host that cannot unpack send each file with gzip', async () => {
    const sent = await ask(`${BASE}/rest/data/?as_of=1`, { tools: { ...TOOLS, gunzip: undefined } });
    expect(sent.headers['Content-Encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(sent.body ?? '').toString())).toMatchObject({ count: 30, next: `${HOME}/rest/data/?as_of=1&page=2` });
  });
});

describe('a damaged site', () => {
  const paths = ['/rest/data/?page=3', '/rest/account/?page=2', '/rest/data/?page=2&as_of=2', '/browse/assets/style.css', '/'];

  it('answers a changed byte or a truncated ZIP with 503, and never with 404 or other bytes', async () => {
    const copy = join(folder, 'damaged');
    const { versions, ...head } = readHead(target);
    const name = versions[1]?.file ?? '';
    const good = readFileSync(join(target, name));
    const right = new Map<string, string>();
    for (const path of paths) right.set(path, text(await ask(BASE + path)));
    publishVersion(trees[1], copy);
    writeHead(copy, { ...head, versions });
    const refused = { status: 503, headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Content-Length': '50' } };
    let problems = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (place, change, isCut) => {
        const bytes = Buffer.from(isCut ? good.subarray(0, place) : good);
        if (!isCut) bytes[place] = (bytes[place] ?? 0) ^ change;
        writeFileSync(join(copy, name), bytes);
        for (const [path, body] of right) {
          for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
            const sent = await ask(BASE + path, { headers }, openFolder(copy));
            if (sent.status !== 200) {
              expect(sent).toMatchObject(refused);
              expect(sent.problem).toMatch(/^(?:rest|browse|index).*: .+/);
              problems += 1;
            } else if (sent.headers['Content-Encoding'] === undefined) expect(text(sent)).toBe(body);
            else expect(gunzipSync(sent.body ?? '').toString()).toBe(body);
          }
        }
      }),
      { numRuns: times('damaged sites', 40, 150) },
    );
    expect(problems).toBeGreaterThan(20);
  });

  it.each([
    ['no head.json', (site: string) => rmSync(join(site, 'head.json'))],
    ['a truncated head.json', (site: string) => truncateSync(join(site, 'head.json'), 90)],
    ['a changed head.json', (site: string) => change(join(site, 'head.json'), '"offset":', '"offset":1')],
    ['the head.json of a store', (site: string) => writeHead(site, readHead(site), 'store')],
    ['a head.json without versions', (site: string) => writeHead(site, { ...readHead(site), versions: [] })],
    ['no ZIP', (site: string) => rmSync(join(site, 'versions'), { recursive: true })],
  ])('with %s answers 503', async (_, damage) => {
    const site = temporaryFolder();
    publishVersion(trees[0], site);
    damage(site);
    const { open, reads } = counted(openFolder(site));
    const sent = await ask(`${BASE}/rest/data/`, {}, open);
    expect([sent.status, text(sent)]).toEqual([503, '{"detail":"This page is temporarily unavailable."}']);
    expect(reads.filter((path) => path === 'head.json').length).toBe(2);
  });

  it('is read again from head.json if a version is deleted in the middle', async () => {
    const site = temporaryFolder();
    publishVersion(trees[0], site);
    const open = openFolder(site);
    let reads = 0;
    const sent = await ask(`${BASE}/rest/data/`, {}, async (path, range) => {
      reads += 1;
      if (reads === 3) {
        rmSync(join(site, readHead(site).versions[0]?.file ?? ''));
        publishVersion(trees[1], site);
      }
      return open(path, range);
    });
    expect([sent.status, sent.headers['Palimpsest-Version'], reads]).toEqual([200, '2', 6]);
    expect(text(sent)).toBe(readFileSync(join(trees[1], 'rest/data/index.json')).toString());
  });
});

function change(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}
