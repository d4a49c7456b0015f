import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openArchives } from '../../src/sources/archives/web-archive-inputs.ts';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { BASE, capture, http, type Imported, idsDown, importFile, pagesOf, warcRecord } from './written.ts';

const opened = (path: string) => openArchives(inputsOf([path], process.stdin));

/** Imports a WARC of these records into a new store. */
async function importWarc(records: readonly Buffer[], options: { readonly gzip?: 'members' | 'whole' } = {}): Promise<Imported> {
  const warc = join(temporaryFolder(), options.gzip === undefined ? 'a.warc' : 'a.warc.gz');
  const pieces = options.gzip === 'members' ? records.map((one) => gzipSync(one)) : records;
  writeFileSync(warc, options.gzip === 'whole' ? gzipSync(Buffer.concat(pieces)) : Buffer.concat(pieces));
  return await importFile(warc, undefined, { onConflict: 'replace' });
}

const DATE = '2026-01-01T00:00:00Z';
const PAGES = pagesOf(idsDown(25));
const pageAt = (target: string) => PAGES.get(target) ?? '';
const captures = [...PAGES].map(([target, body]) => capture(target, http(200, body)));

/** A capture with a body in two chunks. */
function encoded(target: string, encoding: string, body: Buffer): Buffer {
  const half = Math.floor(body.length / 2);
  const chunks = [body.subarray(0, half), body.subarray(half)].flatMap((piece) => [
    `${piece.length.toString(16)};name=value\r\n`,
    piece,
    '\r\n',
  ]);
  const whole = Buffer.concat([...chunks, '0\r\nTrailer: x\r\n\r\n'].map((piece) => Buffer.from(piece)));
  return capture(target, http(200, whole, [`Content-Encoding: ${encoding}`, 'transfer-encoding: Chunked']));
}

describe('import of a WARC', () => {
  it.each([{}, { gzip: 'members' }, { gzip: 'whole' }] as const)('reads response records, compressed or not: %o', async (options) => {
    const info = warcRecord({ 'WARC-Type': 'warcinfo', 'WARC-Date': DATE }, 'software: other\r\n');
    const { ids, report, summary } = await importWarc([info, ...captures], options);
    expect(ids).toEqual(idsDown(25));
    expect(report).toMatchObject({ pages: 4, repeated: 0, failed: 0, other: 0, missing: { listed: [] } });
    expect(summary.pageSets.map(({ status }) => status)).toEqual(['complete', 'complete']);
  });

  it.each<readonly [string, (target: string, body: string) => Buffer]>([
    [
      'resource records, and addresses in angle brackets',
      (target, body) => warcRecord({ 'WARC-Type': 'resource', 'WARC-Target-URI': `<${BASE}${target}>`, 'WARC-Date': DATE }, body),
    ],
    ['bodies in chunks with Content-Encoding gzip', (target, body) => encoded(target, 'gzip', gzipSync(body))],
    ['bodies in chunks with Content-Encoding br', (target, body) => encoded(target, 'br', brotliCompressSync(body))],
    ['bodies in chunks with Content-Encoding deflate', (target, body) => encoded(target, 'deflate', deflateSync(body))],
    ['bodies in chunks with Content-Encoding deflate without a header', (target, body) => encoded(target, 'deflate', deflateRawSync(body))],
    [
      'bodies that a tool has decoded, with the headers of before',
      (target, body) => capture(target, http(200, body, ['Content-Encoding: br', 'Transfer-Encoding: chunked'])),
    ],
    [
      'bodies after an interim response',
      (target, body) => capture(target, Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'), http(200, body)])),
    ],
  ])('reads %s', async (_, make) => {
    expect((await importWarc([...PAGES].map(([target, body]) => make(target, body)))).ids).toEqual(idsDown(25));
  });

  it('takes the last good capture of an address, before and after bad ones', async () => {
    const bad = [
      capture('/rest/data/', http(429, 'slow down'), { 'WARC-Date': '2026-01-01T00:00:02Z' }),
      capture('/rest/data/', http(200, '<html>maintenance</html>'), { 'WARC-Date': '2026-01-01T00:00:03Z' }),
      capture('/rest/data/', http(200, pageAt('/rest/data/').slice(0, 500)), { 'WARC-Date': '2026-01-01T00:00:03Z' }),
      capture('/rest/data/', http(200, pageAt('/rest/data/'), ['Content-Length: 99999']), { 'WARC-Date': '2026-01-01T00:00:03Z' }),
      capture('/rest/data/', Buffer.from('no HTTP at all')),
    ];
    const older = capture('/rest/data/', http(200, pageAt('/rest/data/').replace('text 25', 'old text')), {
      'WARC-Date': '2025-01-01T00:00:00Z',
    });
    const { ids, report } = await importWarc([...bad, ...captures, older, ...bad]);
    expect(ids).toEqual(idsDown(25));
    expect(report).toMatchObject({ pages: 4, repeated: 1, failed: 10, missing: { listed: [] } });
  });

  it('takes an earlier capture as well if records moved on to a page that was not captured again', async () => {
    const grown = pagesOf(idsDown(28));
    const later = { 'WARC-Date': '2026-01-02T00:00:00Z' };
    // a night in which three records came, and only page 1 was read again
    const { ids, report, summary } = await importWarc([
      ...captures,
      capture('/rest/data/', http(200, grown.get('/rest/data/') ?? ''), later),
    ]);
    expect(ids).toEqual(idsDown(28));
    expect(report).toMatchObject({ pages: 5, repeated: 0 });
    expect(summary.pageSets.find(({ collection }) => collection === 'data')).toMatchObject({ missingItems: 0 });
  });

  it('reports what it skipped: other addresses, and pages without a good capture', async () => {
    const others = [
      capture('/robots.txt', http(404, 'none')),
      capture('/rest/other/', http(200, '{}')),
      capture('/rest/data/?page=9', http(404, '{"detail":"Invalid page."}')),
      ...['request', 'revisit', 'metadata'].map((type) =>
        warcRecord({ 'WARC-Type': type, 'WARC-Target-URI': `${BASE}/rest/data/`, 'WARC-Date': '2026-01-03T00:00:00Z' }, 'a: b\r\n\r\n'),
      ),
    ];
    const { report } = await importWarc([...captures.filter((_, index) => index !== 1), ...others]);
    expect(report).toMatchObject({
      pages: 3,
      failed: 1,
      other: 2,
      missing: { listed: [{ url: `${BASE}/rest/data/?page=9`, reason: 'status 404' }] },
    });
  });

  it('warns of pages without a good capture, and does not import what is not complete with --require-complete', async () => {
    const folder = temporaryFolder();
    const warc = join(folder, 'a.warc');
    writeFileSync(warc, Buffer.concat([...captures.slice(0, 1), ...captures.slice(2), capture('/rest/data/?page=2', http(503, ''))]));
    const args = ['import', warc, '--store', join(folder, 'store.db')];
    expect(await palimpsestHere([...args, '--require-complete'])).toMatchObject({ code: 1, stderr: expect.stringContaining('incomplete') });
    const { code, stdout, stderr } = await palimpsestHere(args);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${warc}: 3 pages; skipped 1 failed response`)]);
    expect(stderr).toContain(`${BASE}/rest/data/?page=2: status 503`);
    expect(stderr).toContain('10 of 25 items are missing: page 2 of 3');
  });

  it('refuses with --require-complete a WARC that is cut after its last page of the feed, also if the feed is one page', async () => {
    for (const pages of [PAGES, pagesOf(idsDown(5))]) {
      const warc = join(temporaryFolder(), 'a.warc');
      const feed = [...pages].filter(([target]) => target.startsWith('/rest/data/'));
      writeFileSync(warc, Buffer.concat(feed.map(([target, body]) => capture(target, http(200, body)))));
      const refused = await palimpsestHere(['import', warc, '--store', join(temporaryFolder(), 's.db'), '--require-complete']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no page of the accounts') });
    }
  });

  it('counts all pages without a good capture, and lists the first 1,000', async () => {
    const failed = Array.from({ length: 1001 }, (_, index) => capture(`/rest/data/?page=${index + 100}`, http(404, '')));
    const { report } = await importWarc([...captures, ...failed]);
    expect([report?.missing.count, report?.missing.listed.length]).toEqual([1001, 1000]);
  });

  it('reads the pages of a built tree that were captured by their paths', async () => {
    const paths = [...PAGES].map(([target, body]) => capture(target.replace(/\?page=(\d)$/, 'page/$1/index.json'), http(200, body)));
    const { ids, report } = await importWarc([...paths, ...captures]);
    expect([ids, report?.repeated]).toEqual([idsDown(25), 4]);
  });

  it('says that an archive has no pages', async () => {
    await expect(importWarc([capture('/', http(200, '<html>'))])).rejects.toMatchObject({ code: 'no-source' });
    await expect(importWarc([capture('/rest/data/', http(503, ''))])).rejects.toMatchObject({
      code: 'no-source',
      found: expect.stringContaining('status 503'),
    });
  });

  it('names the address of a record that cannot be imported', async () => {
    const broken = capture('/rest/data/', http(200, pageAt('/rest/data/').replace('"text":"text 25"', '"text":25')));
    await expect(importWarc([broken])).rejects.toMatchObject({
      code: 'bad-field',
      place: { file: expect.stringMatching(/a\.warc: https:\/\/history\.example\/rest\/data\/$/), field: 'results[0].text' },
    });
  });
});

describe('import refuses a WARC', () => {
  const digest = (algorithm: string, bytes: Buffer, form: 'hex' | 'base64') => createHash(algorithm).update(bytes).digest(form);
  /** The captures with digests of their blocks. */
  const signed = [...PAGES].map(([target, body]) => {
    const block = http(200, body);
    return capture(target, block, { 'WARC-Block-Digest': `sha256:${digest('sha256', block, 'hex')}` });
  });

  it('that is cut short, at every place inside a record', async () => {
    for (const options of [{}, { gzip: 'members' }] as const) {
      const records = options.gzip === undefined ? signed : signed.map((one) => gzipSync(one));
      const whole = Buffer.concat(records);
      const ends = records.map((_, index) => records.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0));
      const path = join(temporaryFolder(), 'a.warc');
      for (let length = 40; length < whole.length; length += isFull ? 89 : 499) {
        if (ends.includes(length)) continue;
        writeFileSync(path, whole.subarray(0, length));
        await expect(opened(path), `cut at ${length}`).rejects.toMatchObject({ code: 'bad-archive' });
      }
    }
  });

  it('with a digest of the body that is wrong, in each form of digest', async () => {
    const body = Buffer.from(pageAt('/rest/account/'));
    const bits = [...createHash('sha1').update(body).digest()].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const inBase32 = bits.replace(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(five, 2)));
    const right = [
      `sha1:${inBase32}`,
      `sha-256:${digest('sha256', body, 'hex')}`,
      `sha256:${digest('sha256', body, 'base64')}`,
      `md5:${digest('md5', body, 'hex')}`,
    ];
    for (const text of right) {
      await importWarc([capture('/rest/account/', http(200, body), { 'WARC-Payload-Digest': text })]);
      const wrong = http(200, pageAt('/rest/account/').replace('text 1"', 'text 2"'));
      await expect(importWarc([capture('/rest/account/', wrong, { 'WARC-Payload-Digest': text })]), text).rejects.toMatchObject({
        code: 'bad-archive',
      });
    }
    await importWarc([capture('/rest/account/', http(200, body), { 'WARC-Payload-Digest': 'urn:unknown:1' })]);
  });

  it('with bytes behind its last gzip member, and a length that is not a number', async () => {
    const path = join(temporaryFolder(), 'a.warc.gz');
    for (const more of [Buffer.from('a letter'), Buffer.alloc(3), Buffer.from([0x1f, 0x8b])]) {
      writeFileSync(path, Buffer.concat([...signed.map((one) => gzipSync(one)), more]));
      await expect(opened(path)).rejects.toMatchObject({ code: 'bad-archive' });
    }
    for (const [from, to] of [
      ['Content-Length: ', 'Content-Length: x'],
      ['Content-Length: ', 'Content-Length: 9999999999'],
      ['Content-Length: ', 'Content-Length: -'],
      ['WARC/1.0', 'WARC/9.0'],
    ] as const) {
      const [first = Buffer.alloc(0), ...others] = captures;
      const header = Buffer.from(first.toString('latin1').replace(from, to), 'latin1');
      await expect(importWarc([...others, header]), to).rejects.toMatchObject({ code: 'bad-archive' });
    }
  });

  it('on standard input, which can be read only once', async () => {
    const { code, stderr } = await palimpsestHere(['import', '-', '--store', join(temporaryFolder(), 's.db')], {
      input: Buffer.concat(captures),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('read web archives by name with import');
  });
});
