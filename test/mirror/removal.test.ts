import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lockRun, spoolPath } from '../../src/mirror/spool/unfinished-runs.ts';
import { command } from '../store/damaged-store.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { type CannedService, record, serve, startCannedService, status } from './canned-service.ts';
import { idsIn, mirrored } from './mirrored.ts';

let service: CannedService;
let store: string;

const show = (records: readonly ReturnType<typeof record>[]) => serve(service, records, 3, 2);

const RECORDS = [
  record(6, { account: 'ann', previous: 4 }),
  record(5, { account: 'nina_k', previous: 2, text: 'a secret' }),
  record(4, { account: 'ann' }),
  record(3, { account: 'bob' }),
  record(2, { account: 'nina_k', text: 'a secret' }),
  record(1, { account: 'cyd' }),
];

const remove = (...args: string[]) => command(['remove', 'nina_k', '--store', store, ...args]);

function secretsIn(text: string): string[] {
  return [...filesIn(join(store, '..'))].filter(([, bytes]) => bytes.includes(text)).map(([file]) => file);
}

beforeEach(async () => {
  service = await startCannedService();
  store = join(temporaryFolder(), 'store.db');
  show(RECORDS);
});

describe('a mirror of a service that still shows a removed account', () => {
  it('does not bring it back, is complete, and reads no more pages than before', async () => {
    await mirrored(store, service.baseUrl);
    await mirrored(store, service.baseUrl);
    service.asked.length = 0;
    await mirrored(store, service.baseUrl);
    const asked = [...service.asked];
    expect(await remove('--yes')).toMatchObject({ code: 0 });
    expect(secretsIn('nina')).toEqual([]);
    for (const isFull of [false, true, false]) {
      service.asked.length = 0;
      const result = await mirrored(store, service.baseUrl, { isFull });
      expect(result).toMatchObject({ isComplete: true, gone: { data: [], account: [] }, records: { added: 0 }, accounts: { added: 0 } });
      if (isFull) expect(result).toMatchObject({ records: { excluded: 4 }, accounts: { excluded: 1 } });
      else expect(service.asked).toEqual(asked);
      expect(idsIn(store)).toEqual([6, 4, 3, 1]);
      expect(secretsIn('nina')).toEqual([]);
    }
  });

  it('leaves out its new records, also under a new name', async () => {
    await mirrored(store, service.baseUrl);
    await remove('--yes');
    show([record(7, { account: 'nina_k', previous: 5, text: 'a secret' }), ...RECORDS]);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 0, excluded: 5 } });
    const hers = [9, 8, 7].map((id) => record(id, { account: 'nina_k', previous: id === 7 ? 5 : id - 1 }));
    show([...hers, ...RECORDS].map((one) => (one.account === 'nina_k' ? { ...one, account: 'nina_new' } : one)));
    for (let night = 0; night < 2; night += 1) {
      const none = { records: { added: 0 }, accounts: { added: 0 }, gone: { data: [] } };
      expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, ...none });
      expect(idsIn(store)).toEqual([6, 4, 3, 1]);
      expect(secretsIn('nina')).toEqual([]);
    }
  });

  it('brings it back with --full after it is allowed', async () => {
    await mirrored(store, service.baseUrl);
    await remove('--yes');
    await mirrored(store, service.baseUrl);
    expect(await command(['exclusions', 'nina_k', '--end', '--store', store])).toMatchObject({ code: 0 });
    expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({
      isComplete: true,
      records: { added: 2, excluded: 0 },
    });
    expect(idsIn(store)).toEqual([6, 5, 4, 3, 2, 1]);
  });
});

describe('palimpsest remove beside an unfinished mirror', () => {
  it('deletes the pages of the mirror, which then starts again', async () => {
    await mirrored(store, service.baseUrl);
    const spool = spoolPath(store, service.baseUrl);
    show([record(7, { account: 'nina_k', previous: 5, text: 'a secret' }), ...RECORDS]);
    service.answers.set('/rest/account/', status(401));
    await expect(mirrored(store, service.baseUrl)).rejects.toMatchObject({ code: 'bad-service' });
    expect(readdirSync(join(store, '..')).filter((file) => file.includes('-mirror-'))).not.toEqual([]);
    expect(JSON.parse((await remove('--dry-run')).stdout)).toMatchObject({ unfinished_mirrors: [spool] });
    expect(readdirSync(join(store, '..')).filter((file) => file.includes('-mirror-'))).not.toEqual([]);
    expect(JSON.parse((await remove('--yes')).stdout)).toMatchObject({ unfinished_mirrors: [spool], files_beside: [] });
    expect(readdirSync(join(store, '..'))).toEqual(['store.db']);
    show([record(7, { account: 'nina_k', previous: 5, text: 'a secret' }), ...RECORDS]);
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, records: { added: 0 } });
    expect(secretsIn('nina')).toEqual([]);
  });

  it('is refused while the mirror is at work, and names other files that may have the account', async () => {
    await mirrored(store, service.baseUrl);
    writeFileSync(`${store}-rejects.ndjson`, 'nina_k');
    const spool = spoolPath(store, service.baseUrl);
    writeFileSync(spool, '');
    const held = lockRun(store, spool);
    const before = readFileSync(store);
    expect(await remove('--yes')).toMatchObject({ code: 1, error: 'store-busy' });
    held.release();
    expect(readFileSync(store).equals(before)).toBe(true);
    expect(JSON.parse((await remove('--yes')).stdout)).toMatchObject({ files_beside: [`${store}-rejects.ndjson`] });
  });
});
