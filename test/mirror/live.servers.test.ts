// cspell:words changerecord
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { drf, startService } from '../drf/live-service.ts';
import { ask } from '../serve/exchange.ts';
import { temporaryFolder } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { account, listen, record } from './canned-service.ts';
import { fingerprint, idsIn, mirrored, mirroredAnew } from './mirrored.ts';

const MIRRORS = times('mirrors of a live service', 1, 100);

/** A live Django REST Framework whose database the test changes while it is read. */
async function startGrowingService(folder: string, records: number) {
  const [ndjson, database] = [join(folder, 'history.ndjson'), join(folder, 'live.db')];
  const names = Array.from({ length: records / 5 }, (_, index) => `account_${index}`);
  const more = (id: number) => ({ account: names[id % names.length], data_type: 'Location' });
  const items = [...names.map((name) => account(name, [])), ...Array.from({ length: records }, (_, id) => record(id + 1, more(id)))];
  writeFileSync(ndjson, items.map((item) => JSON.stringify(item)).join('\n'));
  const { baseUrl, stop } = await startService(ndjson, database, { page_size: 5, account_page_size: 4 });
  const open = <T>(work: (connection: Connection) => T): T => {
    const connection = new Connection(database, { timeout: 10_000 });
    try {
      return work(connection);
    } finally {
      connection.close();
    }
  };
  const grow = (count: number) =>
    open((connection) => {
      const next = Number(connection.value('SELECT max(id) FROM __main___changerecord')) + 1;
      for (let id = next; id < next + count; id += 1) {
        // one in four is of a new account
        const name = id % 4 === 0 ? `account_new_${id}` : 'account_1';
        if (id % 4 === 0) {
          connection.exec(`INSERT INTO __main___account (screen_name, account_creation_date, profile_image_url, display_name, website, location, bio)
            VALUES ('${name}', NULL, '', '', NULL, '', '')`);
        }
        connection.exec(`INSERT INTO __main___changerecord (id, account_id, data_type, previous_id, text, first_encountered_date, diff_html, web_archive_url)
          VALUES (${id}, (SELECT id FROM __main___account WHERE screen_name = '${name}'), 'Location', NULL, 'late ${id}', '2020-05-05 16:29:12', '', NULL);
          UPDATE __main___account SET location = 'late ${id}' WHERE screen_name = '${name}'`);
      }
    });
  const ids = () =>
    open((connection) => connection.prepare<[], number>('SELECT id FROM __main___changerecord ORDER BY id DESC').pluck().all());
  return { baseUrl, stop, grow, ids };
}

const FAULTS = ['429', '502', '503', '500', 'reset before', 'reset after', 'truncated', 'cut JSON', 'HTML'] as const;
type Fault = (typeof FAULTS)[number];

/** Starts a proxy that does to the answers of a service what networks, caches and overloaded servers do. Returns its address. */
async function startFaultyProxy(upstream: string, draw: (target: string) => Fault | undefined): Promise<string> {
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()));
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = incoming.url ?? '';
    const fault = draw(target);
    if (fault === 'reset before') return void incoming.socket.resetAndDestroy();
    if (fault === '429') return void outgoing.writeHead(429, { 'Retry-After': new Date(0).toUTCString() }).end();
    if (fault === '503') return void outgoing.writeHead(503, { 'Retry-After': '0' }).end('<html>down</html>');
    if (fault === '500' || fault === '502') return void outgoing.writeHead(Number(fault)).end('<html>error</html>');
    if (fault === 'HTML') return void outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>wait</title>');
    // the service links to the host of the request
    const { status, headers, body } = await ask(upstream, target, 'GET', {
      accept: 'application/json',
      host: incoming.headers.host ?? '',
    });
    if (fault === 'reset after') return void incoming.socket.resetAndDestroy();
    const half = body.subarray(0, body.length / 2);
    const { 'transfer-encoding': _, connection: __, ...kept } = headers;
    if (fault === 'cut JSON') return void outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(half);
    outgoing.writeHead(status, { ...kept, 'content-length': String(body.length) });
    if (fault === 'truncated') return void outgoing.write(half, () => incoming.socket.destroy());
    outgoing.end(body);
  }
  return `http://127.0.0.1:${await listen(server)}`;
}

describe.skipIf(drf.skip)(`a mirror of a live Django REST Framework (${drf.reason || 'installed'})`, () => {
  test(`has all items of the database after changes and faults during ${MIRRORS} mirrors`, async () => {
    for (let seed = 1; seed <= MIRRORS; seed += 1) {
      const folder = temporaryFolder();
      const service = await startGrowingService(folder, 60);
      const random = chance(seed);
      const store = join(folder, 'store.db');
      let [changes, faults, isQuiet] = [25, 0, false];
      let lastIds: readonly number[] = [];
      const baseUrl = await startFaultyProxy(service.baseUrl, (target) => {
        if (isQuiet) return undefined;
        if (random() < 0.25 && changes > 0) {
          changes -= 1;
          service.grow(1 + Math.floor(random() * 7));
        }
        if (target.startsWith('/rest/data/')) lastIds = service.ids();
        // a page that fails four times would be passed by
        faults = random() < 0.2 && faults < 3 ? faults + 1 : 0;
        return faults > 0 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
      });
      for (let night = 1; night <= 2; night += 1) {
        const { isComplete, missing } = await mirrored(store, baseUrl);
        expect({ seed, night, isComplete, missing }).toMatchObject({ isComplete: true });
        const has = new Set(idsIn(store));
        expect(lastIds.filter((id) => !has.has(id))).toEqual([]);
      }
      isQuiet = true;
      // what came after the last page was read comes now
      expect(await mirrored(store, baseUrl)).toMatchObject({ isComplete: true, gone: { data: [], account: [] } });
      expect(idsIn(store), `seed ${seed}`).toEqual(service.ids());
      expect(fingerprint(store), `seed ${seed}`).toBe(await mirroredAnew(baseUrl));
      // many services that run until the end of the test need much memory
      await service.stop();
    }
  });
});
