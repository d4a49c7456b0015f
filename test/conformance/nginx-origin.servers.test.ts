import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { sendRaw } from '../serve/exchange.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { program } from './child.ts';
import { groupConforms } from './hosts.ts';
import { startNameServer } from './name-server.ts';
import { type RunningNginx, startNginx, stopCeph } from './subjects/nginx-origin.ts';

await groupConforms('buckets');
afterAll(stopCeph);

const nginx = program('nginx', 'nginx-light');
const openssl = program('openssl');

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-nginx-origin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

/** nginx before an origin, with its files from the program, for the root of a host. */
async function before(origin: string, changes: Readonly<Record<string, string>> = {}): Promise<RunningNginx> {
  const work = mkdtempSync(join(folder, 'work-'));
  const files = join(work, 'files');
  await palimpsestJson(['rewrite', 'nginx', '--origin', origin, '--to', files], { cwd: work });
  // for clients that do not ask by its name too
  const names = { '\n    server_name ': '\n    server_name 127.0.0.1 reader.example history.example ' };
  const running = await startNginx({ files, work }, { ...names, ...changes });
  ending.push(running.stop);
  return running;
}

async function listen(server: Server, address = '127.0.0.1', port = 0): Promise<number> {
  server.listen(port, address);
  await once(server, 'listening');
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  return bound === null || typeof bound === 'string' ? 0 : bound.port;
}

/** A store that answers as it is told, and keeps what it was asked. */
async function startStore(answer: RequestListener): Promise<{ readonly url: string; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  return { url: `http://127.0.0.1:${await listen(server)}/bucket/some/where`, asked };
}

const PAGE = '{"count":0,"next":null,"previous":null,"results":[]}';

describe.skipIf(nginx.skip)(`nginx in front of an origin (${nginx.reason || 'installed'})`, () => {
  test('requests only the object, whatever the client requests', async () => {
    const bodies: Promise<Buffer[]>[] = [];
    const { url, asked } = await startStore((request, response) => {
      bodies.push(request.toArray());
      response.end(PAGE);
    });
    const { host } = new URL(url);
    const { ask, url: site } = await before(url);
    await ask('/rest/data/?X-Amz-Signature=abc&page=2', 'GET', {
      Authorization: 'Bearer secret',
      Cookie: 'session=secret',
      Range: 'bytes=0-1',
      'Accept-Encoding': 'gzip',
      'If-Modified-Since': 'Fri, 20 Nov 2026 00:00:00 GMT',
      'If-None-Match': 'W/"abc"',
      'If-Match': '"def"',
      'X-Amz-Security-Token': 'secret',
      'X-Forwarded-For': '192.0.2.1',
      Origin: 'https://reader.example',
    });
    await ask('/rest/account/', 'HEAD');
    for (const target of ['/rest/data/?page=abc', '/rest/data/?page=0', '/rest/data', '/rest/other/', '/manifest-sha256.txt'])
      await ask(target);
    for (const method of ['OPTIONS', 'POST', 'DELETE']) await ask('/rest/data/', method);
    const request = 'GET /rest/data/ HTTP/1.1\r\nHost: reader.example\r\nConnection: close\r\nContent-Length: 6\r\n\r\nsecret';
    expect((await sendRaw(site, request)).toString()).toContain(PAGE);
    expect(asked.map(({ method, url: path, headers }) => [method, path, headers])).toEqual([
      ['GET', '/bucket/some/where/rest/data/page/2/index.json', { host, 'if-none-match': '"abc"' }],
      ['HEAD', '/bucket/some/where/rest/account/index.json', { host }],
      ['GET', '/bucket/some/where/rest/data/index.json', { host }],
    ]);
    expect((await Promise.all(bodies)).flat()).toEqual([]);
  });

  test('returns the published headers of a page, and no other headers of the object store', async () => {
    const own = {
      Vary: 'Origin',
      Allow: 'GET',
      'Accept-Ranges': 'bytes',
      'Access-Control-Allow-Origin': 'https://other.example',
      'Set-Cookie': 'session=1',
      'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
      'x-amz-request-id': 'abc',
      'x-amz-meta-palimpsest-sha256': 'abc',
      'x-ms-meta-palimpsest_sha256': 'abc',
      'Content-Type': 'application/xml',
      Server: 'AmazonS3',
    };
    const kept = { 'Cache-Control': 'public, max-age=60', ETag: '"abc"' };
    const { url } = await startStore((_, response) =>
      response.writeHead(200, { ...own, ...kept, 'Content-Length': PAGE.length }).end(PAGE),
    );
    const { ask } = await before(url);
    const { status, headers, body } = await ask('/rest/data/');
    const { date, server, connection, ...rest } = headers;
    expect([status, body.toString(), typeof date, /^nginx/.test(String(server)), connection]).toEqual([200, PAGE, 'string', true, 'close']);
    expect(rest).toEqual({
      'content-type': 'application/json',
      'content-length': String(PAGE.length),
      'cache-control': 'public, max-age=60',
      etag: '"abc"',
      vary: 'Accept, Accept-Encoding',
      allow: 'GET, POST, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Palimpsest-Version',
    });
    // what is no page keeps nothing of the store's
    expect((await ask('/rest/data/', 'OPTIONS')).headers['cache-control']).toBe('public, max-age=0, must-revalidate');
  });

  const MISSING = [404, '{"detail":"Invalid page."}', 'public, max-age=0, must-revalidate'];
  const FAILED = [502, '{"detail":"Bad gateway."}', 'no-store'];
  const LATE = [504, '{"detail":"Gateway timeout."}', 'no-store'];

  test('passes on a page, 304 and a missing page from the origin, and answers 502 or 504 otherwise', async () => {
    const { url } = await startStore((request, response) => {
      const status = Number(/page\/(\d+)\//.exec(request.url ?? '')?.[1]);
      if (status === 1) request.socket.destroy();
      else if (status !== 2) response.writeHead(status, { 'Cache-Control': 'max-age=900', Location: '/elsewhere' }).end('<Error/>');
    });
    const { ask } = await before(url);
    // does not wait long for the one that never answers
    const impatient = await before(url, { 'proxy_read_timeout 30s;': 'proxy_read_timeout 1s;' });
    for (const [wanted, statuses] of [
      [MISSING, [403, 404]],
      [FAILED, [1, 300, 301, 302, 303, 307, 308, 400, 401, 405, 406, 409, 410, 412, 416, 429, 500, 501, 502, 503]],
      [LATE, [2, 504]],
    ] as const) {
      for (const status of statuses) {
        const { status: found, headers, body } = await (status === 2 ? impatient.ask : ask)(`/rest/data/?page=${status}`);
        expect([found, body.toString(), headers['cache-control']], `of ${status}`).toEqual(wanted);
        expect([headers['content-type'], headers.allow, headers.location], `of ${status}`).toEqual([
          'application/json',
          'GET, POST, OPTIONS',
          undefined,
        ]);
      }
    }
    const refused = createServer();
    const port = await listen(refused);
    refused.close();
    const { status, body } = await (await before(`http://127.0.0.1:${port}`)).ask('/rest/data/');
    expect([status, body.toString()], 'of a store that is not there').toEqual(FAILED.slice(0, 2));
    const same = await ask('/rest/data/?page=304', 'GET', { 'If-None-Match': '"abc"' });
    expect([same.status, same.headers['content-type'], same.headers['cache-control']]).toEqual([304, 'application/json', 'max-age=900']);
  });

  test('answers 503 if the origin has no page 1 or no last page, because every tree has them', async () => {
    const { url } = await startStore((_, response) => response.writeHead(404).end('<Error/>'));
    const { ask } = await before(url);
    for (const [query, ...wanted] of [
      ['', 503, '{"detail":"This page is temporarily unavailable."}', 'no-store'],
      ['?page=last', 503, '{"detail":"This page is temporarily unavailable."}', 'no-store'],
      ['?page=2', ...MISSING],
      ['?page=abc', ...MISSING],
    ]) {
      const { status, headers, body } = await ask(`/rest/data/${query}`);
      expect([status, body.toString(), headers['cache-control'], headers['content-type']], String(query)).toEqual([
        ...wanted,
        'application/json',
      ]);
    }
  });

  test('decompresses pages of publish --gzip for clients without gzip, also behind a CDN', async () => {
    const { url } = await startStore((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip', ETag: '"abc"' }).end(gzipSync(PAGE)),
    );
    const { ask } = await before(url);
    const plain = await ask('/rest/data/');
    expect([plain.headers['content-encoding'], plain.body.toString(), plain.headers.etag]).toEqual([undefined, PAGE, 'W/"abc"']);
    const packed = await ask('/rest/data/', 'GET', { 'Accept-Encoding': 'gzip', Via: '1.1 cdn.example' });
    expect([packed.headers['content-encoding'], packed.body, packed.headers.etag]).toEqual(['gzip', gzipSync(PAGE), '"abc"']);
  });

  test('looks up the name of an object store again when its address changes', async () => {
    const names = await startNameServer('127.0.0.1');
    ending.push(names.stop);
    const port = await listen(createServer((_, response) => response.end('first')));
    await listen(
      createServer((_, response) => response.end('second')),
      '127.0.0.2',
      port,
    );
    const { ask } = await before(`http://store.example:${port}`, { 'resolver 127.0.0.53;': `resolver 127.0.0.1:${names.port};` });
    const shown = async () => (await ask('/rest/data/')).body.toString();
    expect(await shown()).toBe('first');
    names.move('127.0.0.2');
    // until the answer of before is too old in each worker of nginx; in between, a lookup may be late
    while ((await shown()) !== 'second') await setTimeout(100);
  });

  describe.skipIf(openssl.skip)(`over TLS (${openssl.reason || 'installed'})`, () => {
    /** A certificate that is its own authority, with its key. */
    function certificateFor(name: string): { readonly key: string; readonly cert: string } {
      const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
      const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...subject], { stdio: 'pipe' });
      return { key, cert };
    }

    test.each([
      ['takes a page from a store that proves its name', 'bucket.store.example', true, 200],
      ['takes none from a store of another name', 'other.example', true, 502],
      ['takes none from a store that nobody vouches for', 'bucket.store.example', false, 502],
    ])('%s', async (_, name, isTrusted, wanted) => {
      const names = await startNameServer('127.0.0.1');
      ending.push(names.stop);
      const asked: unknown[] = [];
      const { key, cert } = certificateFor(name);
      const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ socket, headers }, response) => {
        asked.push([socket instanceof TLSSocket && 'servername' in socket && socket.servername, headers.host]);
        response.end(PAGE);
      });
      const port = await listen(server);
      const { ask } = await before(`https://bucket.store.example:${port}/where/`, {
        'resolver 127.0.0.53;': `resolver 127.0.0.1:${names.port};`,
        '/etc/ssl/certs/ca-certificates.crt': isTrusted ? cert : certificateFor('authority.example').cert,
      });
      const { status, body } = await ask('/rest/data/');
      expect([status, body.toString()]).toEqual([wanted, wanted === 200 ? PAGE : FAILED[1]]);
      expect(asked).toEqual(wanted === 200 ? [['bucket.store.example', `bucket.store.example:${port}`]] : []);
    });
  });
});
