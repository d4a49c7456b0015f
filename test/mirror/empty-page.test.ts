import { expect, it } from 'vitest';
import { palimpsestHere } from '../support/palimpsest.ts';
import { account, recordsTo, serviceOf, show } from './canned-service.ts';
import { idsIn, mirrored } from './mirrored.ts';

it('two empty pages in the middle without links lose no record, because the service counts the pages behind them', async () => {
  const { service, store } = await serviceOf(0);
  show(service, 'data', recordsTo(50).toSpliced(20, 0, ...new Array(20)), 10);
  show(service, 'account', [account('jack', [])]);
  for (const [target, answer] of service.answers) {
    const empty = /=[34]$/.test(target) ? { next: null, results: [] } : {};
    if (target.startsWith('/rest/data/')) service.answers.set(target, { ...(answer as object), count: 50, ...empty });
  }
  expect(await mirrored(store, service.baseUrl)).toMatchObject({ isComplete: true, missing: { records: 0 } });
  expect(idsIn(store)).toHaveLength(50);
});

it.each([
  ['if it is beside the others', {}, 50, {}, [5, 5], 'nothing new'],
  ['if it links to no page', { next: null }, 50, {}, [5, 2], 'nothing new'],
  [
    'if its records are missing, and --full is suggested, which requests it again',
    {},
    40,
    { records: 10 },
    [4, 4],
    'mirror again with --full',
  ],
])('an empty page in the middle loses no record and repeats no page %s', async (_, link, shown, missing, requests, said) => {
  const { service, store } = await serviceOf(0);
  const records = recordsTo(50);
  const empty = shown === 50 ? records.toSpliced(20, 0, ...new Array(10)) : records;
  show(service, 'data', empty, 10);
  show(service, 'account', [account('jack', [])]);
  for (const [target, answer] of service.answers) {
    if (target.startsWith('/rest/data/')) service.answers.set(target, { ...(answer as object), count: 50 });
  }
  service.answers.set('/rest/data/?page=3', { ...(service.answers.get('/rest/data/?page=3') as object), ...link, results: [] });
  for (const [run, isFull] of [false, true].entries()) {
    service.asked.length = 0;
    const isComplete = shown === 50;
    expect(await mirrored(store, service.baseUrl, { isFull })).toMatchObject({ isComplete, missing, gone: { data: [] } });
    expect(service.asked.filter((target) => target.startsWith('/rest/data/?page='))).toHaveLength(requests[run] ?? 0);
    expect(idsIn(store)).toHaveLength(shown);
  }
  const { stdout, stderr } = await palimpsestHere(['mirror', service.baseUrl, '--store', store, '--delay', '0s']);
  expect(stdout + stderr).toContain(said);
});
