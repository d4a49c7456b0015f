import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { eachCollection, Findings, type Probe, type Trial, varies } from '../probe.ts';

const TARGET = '?page=1';

/** Checks that an unchanged page is not sent again, and that a changed page is, even with the same size. */
export const revalidation: Probe = async (trial) => {
  const findings = new Findings();
  const { ask, site } = trial;
  const path = site.path('data') + TARGET;
  const { headers, body } = await ask(path);
  const etag = headers.etag ?? '';
  findings.equal('ETag', /^(W\/)?"[^"]+"$/.test(etag), true);
  const known = (value: string) => ask(path, 'GET', { 'If-None-Match': value });
  await notModified(trial, path, [etag, etag.startsWith('W/') ? etag.slice(2) : `W/${etag}`], findings);
  for (const method of ['GET', 'HEAD'])
    findings.equal(`${method} another ETag`, (await ask(path, method, { 'If-None-Match': '"another"' })).status, 200);
  await site.rebuild();
  await trial.deploy?.();
  const after = await known(etag);
  findings.equal('after a build', after.status, 200);
  findings.bytes('after a build', after.body, site.page('data', 1));
  findings.equal('as many bytes', after.body.length, body.length);
  findings.equal('other bytes', after.body.equals(body), false);
  return findings.found;
};

/** Checks If-None-Match with a list and with `*`. */
export const etagList: Probe = async (trial) => {
  const findings = new Findings();
  const { ask, site } = trial;
  const path = site.path('data') + TARGET;
  const { headers } = await ask(path);
  const etag = headers.etag ?? '';
  const weak = `W/${etag.replace(/^W\//, '')}`;
  const values = ['*', `"another", ${etag}`, `${etag},"another"`, `W/"another", ${weak} , "third"`, `"with,comma", ${etag}`];
  await notModified(trial, path, values, findings);
  for (const value of ['"another", W/"third"', '"*"', '"another,*"'])
    findings.equal(value, (await ask(path, 'GET', { 'If-None-Match': value })).status, 200);
  findings.equal('* for a missing page', (await ask(`${site.path('data')}?page=4`, 'GET', { 'If-None-Match': '*' })).status, 404);
  return findings.found;
};

/** Checks that GET and HEAD are answered with 304, without a body, and with no other length than that of the page (RFC 9110, 8.6). */
async function notModified({ ask }: Trial, path: string, values: readonly string[], findings: Findings): Promise<void> {
  const { headers: page } = await ask(path);
  for (const value of values) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await ask(path, method, { 'If-None-Match': value });
      // Ceph sends 304 without an ETag
      findings.equal(`${method} ${value}`, [status, body.length, headers.etag ?? page.etag], [304, 0, page.etag]);
      const length = headers['content-length'] ?? page['content-length'];
      findings.equal(`${method} ${value}: Content-Length`, length, page['content-length']);
    }
  }
}

/** Checks revalidation if size and time of the changed file are the same. */
export const contentEtag: Probe = async (trial) => {
  const findings = new Findings();
  const { ask, site } = trial;
  site.age();
  await trial.deploy?.();
  const { headers } = await ask(site.path('data') + TARGET);
  for (const path of ['rest/data/index.json', 'rest/data/page/1/index.json']) site.edit(path);
  await trial.deploy?.();
  const { status, body } = await ask(site.path('data') + TARGET, 'GET', { 'If-None-Match': headers.etag ?? '""' });
  findings.equal('with the ETag of other bytes', status, 200);
  if (status === 200) findings.bytes('after the change', body, site.page('data', 1));
  return findings.found;
};

/** Checks that compressed files are sent to clients that accept them, and only to them. */
export const gzip: Probe = compressed('gzip', '.gz', gunzipSync);
export const brotli: Probe = compressed('br', '.br', brotliDecompressSync);

function compressed(name: string, suffix: string, decompress: (bytes: Buffer) => Buffer): Probe {
  return eachCollection(async ({ ask, site, target }: Trial, path, findings, collection) => {
    const plain = await ask(`${path}?page=2`);
    const packed = await ask(`${path}?page=2`, 'GET', { 'Accept-Encoding': name });
    findings.equal('Content-Encoding', [plain.headers['content-encoding'], packed.headers['content-encoding']], [undefined, name]);
    if (packed.headers['content-encoding'] !== name) return;
    if (target === undefined) findings.bytes('the variant', packed.body, site.file(`rest/${collection}/page/2/index.json${suffix}`));
    findings.bytes('unpacked', decompress(packed.body), site.page(collection, 2));
    for (const answer of [plain, packed])
      findings.equal('Vary has Accept-Encoding', varies(answer.headers.vary).includes('accept-encoding'), true);
    findings.interfaceHeaders('the variant', packed);
    findings.equal('Content-Language', packed.headers['content-language'], undefined);
    const [head, etag] = [await ask(`${path}?page=2`, 'HEAD', { 'Accept-Encoding': name }), packed.headers.etag ?? ''];
    findings.equal('HEAD', [head.headers['content-encoding'], head.body.length], [name, 0]);
    findings.equal('304', (await ask(`${path}?page=2`, 'GET', { 'Accept-Encoding': name, 'If-None-Match': etag })).status, 304);
    for (const refused of ['identity', `${name};q=0`]) {
      const { headers, body } = await ask(`${path}?page=2`, 'GET', { 'Accept-Encoding': refused });
      findings.equal(refused, headers['content-encoding'] ?? 'identity', 'identity');
      if (headers['content-encoding'] === undefined) findings.bytes(refused, body, site.page(collection, 2));
    }
  });
}
