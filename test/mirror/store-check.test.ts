import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { account, record, show, startCannedService } from './canned-service.ts';
import { idsIn } from './mirrored.ts';

/** More than two blocks of the feed have. */
const RECORDS = 700;
const NAMES = ['jack', 'biz', 'ev'];

const nameOf = (id: number) => NAMES[id % NAMES.length] ?? '';
const all = Array.from({ length: RECORDS }, (_, index) => record(RECORDS - index, { account: nameOf(RECORDS - index) }));
const accountsOf = (records: typeof all) => NAMES.map((name) => account(name, records.filter((one) => one.account === name).slice(0, 3)));

describe('a store', () => {
  it('passes store check after a mirror, and after a mirror that replaces and deletes records and accounts', async () => {
    const service = await startCannedService();
    const store = join(temporaryFolder(), 'store.db');
    const mirror = (...options: string[]) => palimpsestJson(['mirror', service.baseUrl, '--store', store, '--delay', '0ms', ...options]);
    show(service, 'data', all);
    show(service, 'account', accountsOf(all));
    expect(await mirror()).toMatchObject({ complete: true, records: { added: RECORDS } });
    expect(await palimpsestJson(['store', 'check', '--store', store])).toMatchObject({ records: RECORDS, finding_count: 0 });

    const isGone = (id: number) => id === 10 || (id > 300 && id < 320) || nameOf(id) === 'ev';
    const left = all.filter(({ id }) => !isGone(id)).map((one) => (one.id === 601 ? { ...one, text: 'corrected' } : one));
    show(service, 'data', left);
    show(service, 'account', accountsOf(left).slice(0, 2));
    expect(await mirror('--full', '--delete', '--max-delete', '100%')).toMatchObject({
      complete: true,
      changed: [601],
      deleted: { records: RECORDS - left.length, accounts: 1 },
    });
    expect(idsIn(store)).toEqual(left.map(({ id }) => id));
    expect(await palimpsestJson(['store', 'check', '--store', store])).toMatchObject({
      records: left.length,
      accounts: 2,
      finding_count: 0,
    });
  });
});
