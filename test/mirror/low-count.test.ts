import { expect, it } from 'vitest';
import { account, recordsTo, serviceOf, show, status } from './canned-service.ts';
import { mirrored } from './mirrored.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** A service with ten accounts and 40 records, which counts fewer. */
async function countingLess(records: number, accounts: number) {
  const { service, store } = await serviceOf(0);
  const all = NAMES.map((name) => account(name, []));
  const showAll = (left: readonly object[]) => {
    service.answers.clear();
    show(service, 'data', recordsTo(40), 10);
    show(service, 'account', left, 2);
    for (const [target, answer] of service.answers) {
      const less = target.startsWith('/rest/data/') ? records : accounts;
      service.answers.set(target, { ...(answer as object), count: (answer as { readonly count: number }).count - less });
    }
  };
  showAll(all);
  return { service, store, show: (gone: string) => showAll(all.filter(({ screen_name }) => screen_name !== gone)) };
}

it.each([0, 1, 2, 3, 7, 9])('no account that the service shows is gone although it counts %i too few', async (less) => {
  const { service, store, show } = await countingLess(0, less);
  for (const isFull of [false, true, true, false]) {
    const { isComplete, gone, missing } = await mirrored(store, service.baseUrl, { isFull });
    expect({ isComplete, gone: gone.account, uncounted: missing.uncounted }).toEqual({
      ...{ isComplete: less === 0, gone: [], uncounted: { records: 0, accounts: less } },
    });
  }
  show('d');
  expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({ gone: { account: ['d'] } });
});

it('no account is gone if a page behind the counted ones fails, unless there is no such page', async () => {
  const { service, store } = await countingLess(0, 4);
  await mirrored(store, service.baseUrl);
  service.answers.set('/rest/account/?page=4', status(500));
  expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({ isComplete: false, gone: { account: [] } });
  service.answers.delete('/rest/account/?page=4');
  expect(await mirrored(store, service.baseUrl, { isFull: true })).toMatchObject({ gone: { account: ['g', 'h', 'i', 'j'] } });
});

it.each([
  ['data', 4, 10, 0],
  ['account', 2, 0, 8],
] as const)(
  'a mirror is not complete if a page of %s fails to which another links, although it is not counted',
  async (collection, page, records, accounts) => {
    const { service, store } = await countingLess(records, accounts);
    service.answers.set(`/rest/${collection}/?page=${page}`, status(500));
    const failed = [{ page, reason: 'status 500' }];
    const missing = collection === 'data' ? { gaps: failed, isCountUnstable: false } : { pages: failed };
    for (const isFull of [false, false, true]) {
      expect(await mirrored(store, service.baseUrl, { isFull })).toMatchObject({ isComplete: false, missing });
    }
  },
);

it.each([40, 41])(
  'a mirror reads the feed once if the last page of %i records links to one that is not there, and says so',
  async (all) => {
    const { service, store } = await serviceOf(all);
    const [last, behind] = [Math.ceil(all / 10), Math.ceil(all / 10) + 1];
    const answer = service.answers.get(`/rest/data/?page=${last}`) as object;
    service.answers.set(`/rest/data/?page=${last}`, { ...answer, next: `${service.baseUrl}/rest/data/?page=${behind}` });
    const gaps = [{ page: behind, reason: 'status 404' }];
    for (const isFull of [false, false, true]) {
      service.asked.length = 0;
      expect(await mirrored(store, service.baseUrl, { isFull })).toMatchObject({
        isComplete: false,
        missing: { gaps, isCountUnstable: false },
        pageSizes: { data: 10 },
      });
      expect(service.asked.filter((target) => target === `/rest/data/?page=${last - 1}`)).toHaveLength(1);
    }
  },
);

it('a mirror reads a feed that shows a record twice four times, and says how many are missing', async () => {
  const { service, store } = await serviceOf(40);
  const page = service.answers.get('/rest/data/?page=3') as { readonly results: readonly object[] };
  service.answers.set('/rest/data/?page=3', { ...page, results: page.results.with(5, recordsTo(40)[1] ?? {}) });
  for (let run = 1; run <= 2; run += 1) {
    service.asked.length = 0;
    expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: false, missing: { records: 1 } });
    expect(service.asked.filter((target) => target === '/rest/data/?page=3')).toHaveLength(4);
  }
});

it.each(['data', 'account'] as const)('a service whose pages of %s link on without end is read once', async (collection) => {
  const { service, store } = await countingLess(0, 0);
  const last = collection === 'data' ? 4 : 5;
  const answer = service.answers.get(`/rest/${collection}/?page=${last}`) as object;
  for (let page = last; page < 200; page += 1) {
    service.answers.set(`/rest/${collection}/?page=${page}`, {
      ...answer,
      next: `${service.baseUrl}/rest/${collection}/?page=${page + 1}`,
    });
  }
  expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true });
  expect(service.asked.length).toBeLessThan(40);
});

it.each([
  ['data', 'an empty page', true],
  ['data', 'its last page', false],
  ['account', 'an empty page', true],
] as const)(
  'a service that counts 10^15 items in %s and shows %s behind its last page is read to its end',
  async (collection, _, isEmpty) => {
    const { service, store } = await countingLess(0, 0);
    for (const [target, answer] of service.answers)
      if (target.startsWith(`/rest/${collection}/`)) service.answers.set(target, { ...(answer as object), count: 1e15 });
    const last = collection === 'data' ? 4 : 5;
    const answer = { ...(service.answers.get(`/rest/${collection}/?page=${last}`) as object), ...(isEmpty ? { results: [] } : {}) };
    for (let page = last + 1; page < 200; page += 1) service.answers.set(`/rest/${collection}/?page=${page}`, answer);
    for (let page = 5e14; page > 100; page = Math.floor(page / 2)) service.answers.set(`/rest/${collection}/?page=${page}`, answer);
    for (const isFull of [false, true]) {
      service.asked.length = 0;
      const { isComplete, missing } = await mirrored(store, service.baseUrl, { isFull });
      const [records, accounts] = collection === 'data' ? [1e15 - 40, 0] : [0, 1e15 - 10];
      expect({ isComplete, records: missing.records, accounts: missing.accounts }).toEqual({ isComplete: false, records, accounts });
      expect(service.asked.length).toBeLessThan(300);
    }
  },
);
