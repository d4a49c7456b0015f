import { copyFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../src/store/database/connection.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf } from '../support/snapshots.ts';
import { account, record, recordsTo, serve, serviceOf, show } from './canned-service.ts';
import { idsIn, mirrored } from './mirrored.ts';

const accountsIn = (store: string) =>
  contentsOf(store)
    .accounts.map(({ screen_name }) => screen_name)
    .toSorted();

describe('an account that a service removed', () => {
  it('is known again if it comes back on a page with the ETag from before it was deleted', async () => {
    const { service, store } = await serviceOf(0);
    const tagged = (names: readonly string[]) => {
      show(service, 'data', []);
      show(
        service,
        'account',
        names.map((name) => account(name, [], { bio: `bio of ${name}` })),
        2,
      );
      for (const [target, answer] of service.answers) {
        const body = JSON.stringify(answer);
        const etag = `"${Buffer.from(body).toString('hex').slice(0, 20)}-${names.length}"`;
        service.answers.set(target, (response: ServerResponse, request: IncomingMessage) => {
          const isKnown = request.headers['if-none-match'] === etag;
          response.writeHead(isKnown ? 304 : 200, { ETag: etag }).end(isKnown ? undefined : body);
        });
      }
    };
    tagged(['a', 'b', 'c']);
    await mirrored(store, service.baseUrl);
    service.answers.clear();
    tagged(['a', 'b']);
    await mirrored(store, service.baseUrl, { isFull: true, maxDelete: { most: 1 } });
    expect(accountsIn(store)).toEqual(['a', 'b']);
    tagged(['a', 'b', 'c']);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    expect(accountsIn(store)).toEqual(['a', 'b', 'c']);
  });

  it('is gone alone with a former name if another account on page 1 is renamed during the way back', async () => {
    const { service, store } = await serviceOf(0);
    const showAll = (...names: readonly string[]) => {
      service.answers.clear();
      show(service, 'data', []);
      show(
        service,
        'account',
        names.map((name) => account(name, [])),
        2,
      );
    };
    showAll('a', 'b', 'c', 'd', 'e', 'f');
    await mirrored(store, service.baseUrl);
    showAll('a', 'b', 'c', 'd', 'f');
    service.asked.length = 0;
    service.onRequest = () => {
      if (service.asked.at(-1) === '/rest/account/?page=2') showAll('z', 'b', 'c', 'd', 'f');
    };
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, gone: { account: ['a', 'e'] } });
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
    expect(service.asked).toHaveLength(4);
  });

  it('is gone alone if two others have one screen name', async () => {
    const { service, store } = await serviceOf(0);
    const twin = (created: string) => account('twin', [], { account_creation_date: created });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => account(name, []));
    const twins = [a, b, d, twin('2010-01-01T00:00:00Z'), c, twin('2020-01-01T00:00:00Z')];
    show(service, 'data', []);
    show(service, 'account', twins, 2);
    await mirrored(store, service.baseUrl, { onReject: () => {} });
    service.answers.clear();
    show(service, 'data', []);
    show(service, 'account', twins.toSpliced(1, 1), 2);
    for (const isFull of [false, true]) {
      const result = await mirrored(store, service.baseUrl, { isFull });
      expect(result).toMatchObject({ isRead: true, gone: { account: isFull ? [] : ['b'] } });
    }
  });
});

it('an account is one and alive if its first record is removed between two readings of its page', async () => {
  const { service, store } = await serviceOf(0);
  const records = [record(4, { account: 'jill' }), record(3), record(2), record(1)];
  serve(service, records, 10, 1);
  await mirrored(store, service.baseUrl);
  service.asked.length = 0;
  service.onRequest = () => {
    if (service.asked.filter((target) => target === '/rest/account/').length === 2) serve(service, records.slice(0, 3), 10, 1);
  };
  const result = await mirrored(store, service.baseUrl, { isFull: true });
  expect(result).toMatchObject({ isComplete: true, rejected: 0, gone: { account: [] }, missing: { uncounted: { accounts: 0 } } });
});

describe('records that a mirror with --full --delete does not find', () => {
  const options = { isFull: true, maxDelete: { share: 1 } };

  it('are deleted only by a complete mirror, also if a page fails whose records the accounts have', async () => {
    const { service, store } = await serviceOf(30);
    const showAll = (records: ReturnType<typeof recordsTo>, data: readonly object[]) => {
      show(service, 'data', records, 10);
      show(service, 'account', [account('jack', data)]);
    };
    const records = recordsTo(31).filter(({ id }) => id !== 5);
    showAll(records, []);
    await mirrored(store, service.baseUrl);
    showAll(recordsTo(31).toSpliced(3, 1), []);
    const right = service.answers.get('/rest/data/?page=3');
    service.answers.set('/rest/data/?page=3', '<!DOCTYPE html>');
    const incomplete = await mirrored(store, service.baseUrl, options);
    expect(incomplete).toMatchObject({ isComplete: false, missing: { records: 1 }, gone: { data: [28] }, deleted: { records: 0 } });
    expect(idsIn(store)).toHaveLength(30);
    show(service, 'account', [account('jack', recordsTo(31).toSpliced(3, 1))]);
    const unread = [{ url: `${service.baseUrl}/rest/data/?page=3`, reason: expect.stringContaining('HTML') }];
    const removed = { data: [28], account: [] };
    expect(await mirrored(store, service.baseUrl, options)).toMatchObject({ isComplete: true, unread, removed, deleted: { records: 1 } });
    expect(idsIn(store)).toHaveLength(30);
    service.answers.set('/rest/data/?page=3', right);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, removed: { data: [] } });
  });

  it('are known in later runs, with the time at which the first run missed them', async () => {
    const { service, store } = await serviceOf(20);
    await mirrored(store, service.baseUrl);
    serve(
      service,
      recordsTo(20).filter(({ id }) => id !== 19),
    );
    for (const gone of [[19], []]) {
      expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, gone: { data: gone }, removed: { data: [19] } });
    }
    const history = await palimpsestJson(['history', 'jack', '--store', store]);
    expect(history).toMatchObject({ gone: [{ id: 19, gone_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) }] });
    const text = (await palimpsestHere(['history', 'jack', '--store', store])).stdout;
    expect(text.split('\n').filter((line) => line.includes('no longer on the service'))).toEqual([expect.stringContaining('#19')]);
    const today = new Date().toISOString().slice(0, 10);
    const csv = (await palimpsestHere(['export', 'csv', '--store', store, '--to', '-'])).stdout;
    expect(csv.split('\r\n').filter((line) => line.includes(`,${today}T`))).toEqual([expect.stringMatching(/^19,/)]);
    serve(service, recordsTo(20));
    expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({ removed: { data: [] } });
    expect(await palimpsestJson(['history', 'jack', '--store', store])).toMatchObject({ gone: [] });
  });

  it('are known in a repaired store, which needs no other requests', async () => {
    const { service, store } = await serviceOf(20);
    await mirrored(store, service.baseUrl);
    serve(
      service,
      recordsTo(20).filter(({ id }) => id !== 19),
    );
    await mirrored(store, service.baseUrl);
    const history = await palimpsestJson(['history', 'jack', '--store', store]);
    const connection = new Connection(store);
    connection.exec('DELETE FROM history');
    connection.close();
    expect(await palimpsestJson(['store', 'check', '--repair', '--store', store])).toMatchObject({ repaired: true });
    expect(await palimpsestJson(['history', 'jack', '--store', store])).toEqual(history);
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, gone: { data: [] }, removed: { data: [19] } });
    expect(service.asked).toHaveLength(4);
  });
});

describe('items that a service removed', () => {
  /** Mirrors a service that then removes a record with its account. Returns its address and functions on stores and packages. */
  async function place() {
    const { service } = await serviceOf(0);
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    const records = [...recordsTo(20).slice(0, 19), record(1, { account: 'jill' })];
    serve(service, records);
    await mirrored(at('store.db'), service.baseUrl);
    serve(service, records.slice(0, 19));
    const removed = { data: [1], account: ['jill'] };
    expect(await mirrored(at('store.db'), service.baseUrl, { isFull: true })).toMatchObject({ isComplete: true, removed });
    const exported = async (store: string) => (await palimpsestHere(['export', 'ndjson', '--to', '-', '--store', at(store)])).stdout;
    const goneIn = async (store: string) => (await exported(store)).split('\n').filter((line) => line.startsWith('{"gone_at"'));
    // the files of a store that have the name of the removed account
    const naming = (store: string) =>
      [...filesIn(folder)].filter(([file, bytes]) => file.startsWith(store) && bytes.includes('jill')).map(([file]) => file);
    return { service, records, removed, at, exported, goneIn, naming };
  }

  it('are known in a store that was made from an export, and the next mirror knows them too', async () => {
    const { service, records, removed, at, exported, goneIn } = await place();
    const lines = await exported('store.db');
    writeFileSync(at('store.ndjson'), lines);
    const importAgain = () => palimpsestJson(['import', at('store.ndjson'), '--store', at('copy.db')]);
    expect(await importAgain()).toMatchObject({ gone_items: { count: 2, new_count: 2 } });
    expect(await importAgain()).toMatchObject({ gone_items: { count: 2, new_count: 0 } });
    expect(await exported('copy.db')).toBe(lines);
    const items = (await goneIn('copy.db')).map((line) => JSON.parse(line));
    const item = { base_url: service.baseUrl, gone_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) };
    expect(items).toEqual([
      { ...item, record: null, account: 'jill' },
      { ...item, record: 1, account: null },
    ]);
    expect(await palimpsestJson(['history', 'jill', '--store', at('copy.db')])).toMatchObject({ gone: [{ id: 1 }] });
    const run = await mirrored(at('copy.db'), service.baseUrl);
    expect(run).toMatchObject({ isComplete: true, gone: { data: [], account: [] }, removed });
    serve(service, records);
    const again = await mirrored(at('copy.db'), service.baseUrl, { isFull: true });
    expect(again).toMatchObject({ isComplete: true, removed: { data: [], account: [] } });
    expect(await goneIn('copy.db')).toEqual([]);
    // a store that has read the items at the service knows more than the export
    expect(await importAgain()).toMatchObject({ gone_items: { count: 2, new_count: 0 } });
    expect(await goneIn('copy.db')).toEqual([]);
  });

  it('are deleted from a store that was made from an export by its first mirror, up to a share of the items of the service', async () => {
    const { service, at, exported } = await place();
    writeFileSync(at('store.ndjson'), await exported('store.db'));
    await palimpsestJson(['import', at('store.ndjson'), '--store', at('copy.db')]);
    // the service has 19 records of one account
    for (const [share, most] of [
      [0.09, 1],
      [0, 0],
    ] as const) {
      const refused = mirrored(at('copy.db'), service.baseUrl, { maxDelete: { share } });
      await expect(refused).rejects.toMatchObject({ code: 'too-many-deletes', expected: `at most ${most} deletes from the store` });
    }
    const deleted = { records: 1, accounts: 1 };
    expect(await mirrored(at('copy.db'), service.baseUrl, { maxDelete: { share: 0.1 } })).toMatchObject({ isComplete: true, deleted });
  });

  it('are known in a store that was made from an archive with --identities', async () => {
    const { service, at, goneIn } = await place();
    const [store, out] = [at('store.db'), at('out')];
    await palimpsestJson(['build', '--store', store, '--out', out, '--base-url', service.baseUrl]);
    await palimpsestJson(['archive', 'wacz', '--out', out, '--to', at('a.wacz'), '--identities', '--store', store]);
    await palimpsestJson(['import', at('a.wacz'), '--store', at('copy.db'), '--require-complete']);
    expect(await goneIn('copy.db')).toEqual(await goneIn('store.db'));
  });

  it('are not known for items that a store lacks, and an export without one of their lines is refused', async () => {
    const { at, exported, goneIn, naming } = await place();
    const lines = (await exported('store.db')).trimEnd().split('\n');
    const take = async (some: readonly string[], ...args: readonly string[]) => {
      writeFileSync(at('some.ndjson'), some.join('\n'));
      return await palimpsestHere(['import', at('some.ndjson'), '--store', at('copy.db'), ...args]);
    };
    expect(await take(lines.filter((line) => !line.includes('"record":1,')))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('and 1 gone items'),
    });
    expect((await take(lines.filter((line) => line.startsWith('{"gone_at"') || line.includes('"jack"')).slice(0, 4))).code).toBe(0);
    expect(await goneIn('copy.db')).toEqual([]);
    // its bytes have no name of an account that it does not have
    expect(naming('copy.db')).toEqual([]);
    const gone = lines.filter((line) => line.startsWith('{"gone_at"'));
    // they count as accepted: one of three is rejected
    const rejecting = ['--rejects', at('rejects.ndjson'), '--max-rejected', '40%'];
    expect(await take([...gone, '{"gone_at":"never"}'], ...rejecting)).toMatchObject({ code: 0 });
  });

  it('leave no byte in a store that imports the exclusion of their account, before, with or after them', async () => {
    const { at, exported, naming } = await place();
    const [, ...lines] = (await exported('store.db')).trimEnd().split('\n');
    const take = async (store: string, some: readonly string[]) => {
      writeFileSync(at('some.ndjson'), some.join('\n'));
      await palimpsestJson(['import', at('some.ndjson'), '--on-conflict', 'replace', '--store', at(store)]);
    };
    await take('removed.db', lines);
    expect(naming('removed.db')).toEqual(['removed.db']);
    await palimpsestJson(['remove', 'jill', '--yes', '--store', at('removed.db')]);
    const exclusionIn = async (store: string) => (await exported(store)).split('\n').filter((line) => line.startsWith('{"excluded_at"'));
    const exclusion = await exclusionIn('removed.db');
    await take('removed.db', lines);
    await take('after.db', lines);
    await take('after.db', exclusion);
    await take('with.db', [...lines, ...exclusion]);
    await take('store.db', exclusion);
    // another store knew the account by another name
    const observe = async (store: string, screen_name: string) => {
      const input = JSON.stringify({ observed_at: '2024-01-01T00:00:00Z', screen_name, id: '12', bio: 'a bio' });
      await palimpsestJson(['observe', '-', '--store', at(store)], { input });
    };
    await take('renamed.db', lines);
    await observe('renamed.db', 'jill');
    await observe('other.db', 'jane');
    await palimpsestJson(['remove', 'jane', '--yes', '--store', at('other.db')]);
    await take('renamed.db', await exclusionIn('other.db'));
    for (const store of ['removed.db', 'after.db', 'with.db', 'store.db', 'renamed.db']) expect(naming(store)).toEqual([]);
  });

  it('are found in a copy of the store if their account was removed without them, and removed with remove', async () => {
    const { at, naming } = await place();
    await palimpsestJson(['remove', 'jill', '--yes', '--store', at('store.db')]);
    const connection = new Connection(at('store.db'));
    connection.exec("UPDATE mirror_gone SET key = 'jill' WHERE collection = 'account'");
    // with a row that was written later, SQLite does not use the freed bytes of the name again
    connection.exec("INSERT INTO mirror_gone SELECT mirror, collection, 'zoe', gone_at FROM mirror_gone WHERE key = 'jill'");
    connection.close();
    copyFileSync(at('store.db'), at('old.db'));
    const { stdout } = await palimpsestHere(['remove', 'jill', '--check', at('old.db'), '--store', at('store.db'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ known: ['jill'], found_places: 1, checks: [{ is_found: false }, { is_found: true }] });
    expect([naming('store.db'), naming('old.db')]).toEqual([[], ['old.db']]);
  });
});
