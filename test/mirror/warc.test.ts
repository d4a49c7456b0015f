import { once } from 'node:events';
import { appendFileSync, createReadStream, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../src/http/exchange.ts';
import { WarcRecorder } from '../../src/mirror/warc-recorder.ts';
import { type ReadRecord, readRecords } from '../../src/warc/read-records.ts';
import { readMembers } from '../archive/warc-reader.ts';
import { portOf } from '../publish/stores.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { serviceOf, status } from './canned-service.ts';
import { fingerprint, mirrored } from './mirrored.ts';

/** Passes connections on to a port, and keeps the bytes of each direction. */
async function startWiretap(port: number): Promise<{ readonly port: number; readonly sent: Buffer[]; readonly received: Buffer[] }> {
  const [sent, received]: [Buffer[], Buffer[]] = [[], []];
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.on('data', (piece) => void sent.push(piece)).pipe(upstream);
    upstream.on('data', (piece) => void received.push(piece)).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: portOf(server), sent, received };
}

async function plainRecords(path: string): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for await (const found of readRecords(path, createReadStream(path), () => true)) records.push(found);
  return records;
}

describe('palimpsest mirror --warc', () => {
  it('keeps the bytes on the wire, of retried requests too, and an import of the file makes the same store', async () => {
    const { service, store } = await serviceOf(25);
    const second = JSON.stringify(service.answers.get('/rest/data/?page=2'));
    const wiretap = await startWiretap(Number(new URL(service.baseUrl).port));
    const address = `http://127.0.0.1:${wiretap.port}`;
    let calls = 0;
    service.answers.set('/rest/data/?page=2', (response: ServerResponse) => {
      calls += 1;
      if (calls === 1) return status(429, { 'Retry-After': '0' })(response);
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'X-Mixed-Case': 'a' });
      // two chunks
      const body = gzipSync(second.replaceAll(service.baseUrl, address));
      response.write(body.subarray(0, 20));
      return response.end(body.subarray(20));
    });
    for (const [target, page] of service.answers) {
      if (typeof page !== 'function') service.answers.set(target, JSON.parse(JSON.stringify(page).replaceAll(service.baseUrl, address)));
    }
    const [warc, copy] = [`${store}.warc.gz`, `${store}-copy.db`];
    const recorder = await WarcRecorder.open(warc, address, 'test');
    await mirrored(store, address, { record: recorder.record });
    await recorder.close();
    const records = readMembers(readFileSync(warc));
    const blocks = (type: string) =>
      Buffer.concat(records.filter(({ fields }) => fields.get('warc-type') === type).map(({ block }) => block));
    expect(records[0]?.fields.get('warc-type')).toBe('warcinfo');
    expect(blocks('request').toString('latin1')).toBe(Buffer.concat(wiretap.sent).toString('latin1'));
    expect(blocks('response').toString('latin1')).toBe(Buffer.concat(wiretap.received).toString('latin1'));
    expect(blocks('response').toString('latin1')).toContain('HTTP/1.1 429 ');
    const { archives } = await palimpsestJson(['import', warc, '--store', copy, '--require-complete']);
    expect(archives).toMatchObject([{ pages: 4, failed: 1, missing: { listed: [] } }]);
    expect(fingerprint(copy)).toBe(fingerprint(store));
  });

  it.each([
    ['disconnect', 'the server closes the connection', (response: ServerResponse) => void response.socket?.destroy()],
    ['time', 'the rest never comes', () => {}],
  ])('keeps what arrived of a response as truncated (%s) if %s', async (reason, _, cut) => {
    const { service, store } = await serviceOf(25);
    const second = JSON.stringify(service.answers.get('/rest/data/?page=2'));
    let calls = 0;
    service.answers.set('/rest/data/?page=2', (response: ServerResponse) => {
      calls += 1;
      response.writeHead(200, { 'Content-Length': String(second.length) });
      if (calls > 1) return response.end(second);
      return response.write(second.slice(0, 100), () => cut(response));
    });
    const [path, copy] = [`${store}.warc.gz`, `${store}-copy.db`];
    const recorder = await WarcRecorder.open(path, service.baseUrl, 'test');
    expect(await mirrored(store, service.baseUrl, { record: recorder.record, maxTime: 200 })).toMatchObject({ isComplete: true });
    await recorder.close();
    const records = readMembers(readFileSync(path));
    const [cutShort] = records.filter(({ fields }) => fields.has('warc-truncated'));
    expect(Object.fromEntries(cutShort?.fields ?? [])).toMatchObject({ 'warc-type': 'response', 'warc-truncated': reason });
    expect(cutShort?.fields.get('warc-target-uri')).toBe(`${service.baseUrl}/rest/data/?page=2`);
    expect(cutShort?.block.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(cutShort?.block.toString().split('\r\n\r\n')[1]).toBe(second.slice(0, 100));
    const { archives } = await palimpsestJson(['import', path, '--store', copy, '--require-complete']);
    expect(archives).toMatchObject([{ pages: 4, missing: { listed: [] } }]);
    expect(fingerprint(copy)).toBe(fingerprint(store));
  });

  it('appends to the file when an interrupted run resumes', async () => {
    const { service, store } = await serviceOf(25);
    const second = service.answers.get('/rest/data/?page=2');
    service.answers.set('/rest/data/?page=2', (response: ServerResponse) =>
      response.writeHead(301, { Location: 'https://elsewhere.example/' }).end(),
    );
    const [warc, copy] = [`${store}.warc`, `${store}-copy.db`];
    const args = ['mirror', service.baseUrl, '--store', store, '--delay', '0ms', '--warc', warc];
    expect(await palimpsestHere(args)).toMatchObject({ code: 1 });
    const before = readFileSync(warc);
    // the end of a record that a crash interrupted
    appendFileSync(warc, before.subarray(0, 300));
    service.answers.set('/rest/data/?page=2', second);
    await palimpsestJson(args);
    expect(readFileSync(warc).subarray(0, before.length).equals(before)).toBe(true);
    const records = await plainRecords(warc);
    expect(records.filter(({ type }) => type === 'warcinfo')).toHaveLength(2);
    await palimpsestJson(['import', warc, '--store', copy, '--require-complete']);
    expect(fingerprint(copy)).toBe(fingerprint(store));
  });

  it('refuses a name that does not say whether the file is compressed', async () => {
    expect(await palimpsestHere(['mirror', 'http://127.0.0.1:1', '--warc', 'night.gz'])).toMatchObject({ code: 2 });
  });
});

const EXCHANGE: Exchange = {
  url: 'https://history.example/rest/data/',
  startedAt: Date.parse('2026-01-01T00:00:00Z'),
  remoteAddress: '127.0.0.1',
  request: Buffer.from('GET /rest/data/ HTTP/1.1\r\nHost: history.example\r\n\r\n'),
  response: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'), Buffer.from('{}')],
  status: 200,
  body: Buffer.from('{}'),
};

async function append(path: string, exchanges: readonly Exchange[]): Promise<void> {
  const recorder = await WarcRecorder.open(path, 'https://history.example', 'test');
  for (const exchange of exchanges) await recorder.record(exchange);
  await recorder.close();
}

describe.each(['night.warc', 'night.warc.gz'])('the file %s', (name) => {
  const recordsIn = async (path: string) => (name.endsWith('.gz') ? readMembers(readFileSync(path)) : await plainRecords(path));

  it('is continued after its last complete record, wherever a crash cut it', async () => {
    const path = join(temporaryFolder(), name);
    await append(path, [EXCHANGE, EXCHANGE]);
    const whole = readFileSync(path);
    const ends = name.endsWith('.gz') ? readMembers(whole).map(({ offset, length }) => offset + length) : plainEnds(whole);
    // the first record of a file is written at once with the file
    const first = ends[0] ?? 0;
    for (let length = first; length <= whole.length; length += isFull ? 1 : 25) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      await append(path, []);
      const complete = ends.filter((end) => end <= length);
      const found = readFileSync(path);
      expect(found.subarray(0, complete.at(-1)).equals(whole.subarray(0, complete.at(-1))), `cut at ${length}`).toBe(true);
      expect((await recordsIn(path)).length, `cut at ${length}`).toBe(complete.length + 1);
    }
  });

  it('is refused if it is no WARC, or other bytes follow, and is not changed', async () => {
    const path = join(temporaryFolder(), name);
    await append(path, [EXCHANGE]);
    for (const before of [Buffer.concat([readFileSync(path), Buffer.from('a letter')]), gzipSync('a letter')]) {
      writeFileSync(path, before);
      await expect(append(path, [])).rejects.toMatchObject({ code: 'not-ours' });
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });
});

it('an answer with status 304 is a revisit', async () => {
  const path = join(temporaryFolder(), 'night.warc.gz');
  await append(path, [{ ...EXCHANGE, status: 304, response: [Buffer.from('HTTP/1.1 304 Not Modified\r\n\r\n')], body: Buffer.alloc(0) }]);
  const [, revisit] = readMembers(readFileSync(path));
  expect(revisit?.fields.get('warc-type')).toBe('revisit');
  expect(revisit?.fields.get('warc-profile')).toBe('http://netpreserve.org/warc/1.1/revisit/server-not-modified');
});

/** The ends of the records of a WARC that is not compressed and has no response of other software. */
function plainEnds(warc: Buffer): number[] {
  const text = warc.toString('latin1');
  const starts = [...text.matchAll(/^WARC\/1\.1\r$/gm)].map(({ index }) => index);
  return [...starts.slice(1), text.length];
}
