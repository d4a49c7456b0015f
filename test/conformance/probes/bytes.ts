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
  const again = await known(etag);
  findings.equal('the same', [again.status, again.body.length], [304, 0]);
  findings.equal('another ETag', (await known('"another"')).status, 200);
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
export const etagList: Probe = async ({ ask, site }) => {
  const findings = new Findings();
  const path = site.path('data') + TARGET;
  const { headers } = await ask(path);
  const etag = headers.etag ?? '';
  for (const value of ['*', `"another", ${etag}`, `${etag},"another"`, `W/"another", ${etag} , "third"`]) {
    const { status, body } = await ask(path, 'GET', { 'If-None-Match': value });
    findings.equal(value.replace(etag, 'its own'), [status, body.length], [304, 0]);
  }
  findings.equal('others', (await ask(path, 'GET', { 'If-None-Match': '"another", "third"' })).status, 200);
  return findings.found;
};

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
