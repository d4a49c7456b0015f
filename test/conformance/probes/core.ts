import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parseEnvelope } from '../../../src/contract/pages/envelope.ts';
import { traversals } from '../../serve/hostile-requests.ts';
import { askAll, eachCollection, Findings, type Probe } from '../probe.ts';

/** Checks that following `next` from page 1 to the last page returns every item once. */
export const walk: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  const origin = 'https://history.example';
  let target = path;
  for (let page = 1; page <= 3; page += 1) {
    const { status, body } = await ask(target);
    findings.equal(target, status, 200);
    findings.bytes(target, body, site.page(collection, page));
    if (status !== 200) return;
    const { next, previous } = parseEnvelope(JSON.parse(body.toString()));
    findings.equal(`${target}: previous`, previous?.startsWith(`${origin}${path}`) ?? null, page === 1 ? null : true);
    findings.equal(`${target}: next`, next, page === 3 ? null : `${origin}${path}?page=${page + 1}`);
    target = next?.slice(origin.length) ?? target;
  }
});

/** Checks that variants of a path return the page or 404, and never a different page. */
export const spellings: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  const name = collection === 'data' ? '%64ata' : '%61ccount';
  for (const target of [
    `${site.base}/rest/${name}/?page=2`,
    `${path}./?page=2`,
    `/${path}?page=2`,
    `${path}../${collection}/?page=2`,
    `${path.slice(0, -1)}%5C?page=2`,
  ]) {
    const { status, body } = await ask(target);
    if (status === 200) findings.bytes(target, body, site.page(collection, 2));
    else findings.equal(target, [301, 302, 307, 308, 400, 403, 404].includes(status), true);
  }
});

/** Checks that ranges are neither sent nor advertised. */
export const range: Probe = eachCollection(async ({ ask, site }, path, findings, collection) => {
  for (const value of ['bytes=5-24', 'bytes=-5', 'bytes=0-1,4-5', 'bytes=9999999-']) {
    const { status, headers, body } = await ask(`${path}?page=2`, 'GET', { Range: value });
    findings.equal(value, [status, headers['accept-ranges']], [200, undefined]);
    findings.bytes(value, body, site.page(collection, 2));
  }
});

/** Checks for `z` in the links, where a live service would keep it. */
export const linkParameters: Probe = eachCollection(async ({ ask }, path, findings) => {
  const { body } = await ask(`${path}?z=1&page=2`);
  const { next, previous } = parseEnvelope(JSON.parse(body.toString()));
  for (const link of [next, previous]) findings.equal('a link', new URL(String(link)).searchParams.get('z'), '1');
});

/** Checks that a page without a compressed file is sent plain to clients that accept compression. */
export const unpacked: Probe = async ({ ask, site, withdraw }) => {
  const findings = new Findings();
  for (const suffix of ['.gz', '.br']) {
    const path = `rest/data/page/3/index.json${suffix}`;
    rmSync(join(site.tree, path));
    await withdraw?.(path);
  }
  for (const encoding of ['gzip', 'br', 'gzip, deflate, br']) {
    const { status, headers, body } = await ask(`${site.path('data')}?page=3`, 'GET', { 'Accept-Encoding': encoding });
    findings.equal(encoding, status, 200);
    // a host may compress responses itself
    findings.bytes(encoding, unpack(headers['content-encoding'], body), site.page('data', 3));
  }
  return findings.found;
};

function unpack(encoding: string | undefined, body: Buffer): Buffer {
  if (encoding === 'gzip') return gunzipSync(body);
  return encoding === 'br' ? brotliDecompressSync(body) : body;
}

/** Checks that no file outside the tree is served. */
export const traversal: Probe = async ({ ask, site }) => {
  const findings = new Findings();
  const targets = traversals(['/', site.path('data'), `${site.path('data')}page/`], 'secret.txt');
  for (const query of [
    '?page=../../../secret.txt',
    '?page=..%2F..%2F..%2F..%2Fsecret.txt%00',
    '?page=2/../../../../../secret.txt',
    '?page=%2e%2e%2f%2e%2e%2fsecret.txt',
  ])
    targets.push(site.path('data') + query);
  targets.push('/secret.txt', `${site.base}/secret.txt`, `${site.base}/rest/secret.txt`);
  for (const [index, { status, body }] of (await askAll(ask, targets)).entries()) {
    findings.equal(targets[index] ?? '', [status === 200 && !isPage(body), body.includes('not for readers')], [false, false]);
  }
  return findings.found;
};

function isPage(body: Buffer): boolean {
  return body.toString('utf8', 0, 9) === '{"count":';
}
