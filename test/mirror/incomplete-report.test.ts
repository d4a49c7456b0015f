import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lackSentence } from '../../src/contract/files/incomplete-mirror.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { account, type CannedService, record, show, startCannedService, status } from './canned-service.ts';
import { mirrored } from './mirrored.ts';

const SIZE = 5;
let service: CannedService;
let at: (name: string) => string;
let right: Map<string, unknown>;
const allRecords = Array.from({ length: 30 }, (_, index) => record(1_700_324_952_000_030 - index));

const build = (store: string, out: string, baseUrl = 'https://copy.example') => [
  ...['build', '--store', at(store), '--out', at(out), '--base-url', baseUrl, '--page-size', `${SIZE}`],
  ...['--account-page-size', '2'],
];

/** Has these pages fail, and all others as they are. */
function failAt(...targets: readonly string[]): void {
  for (const [target, answer] of right) service.answers.set(target, targets.includes(target) ? status(500) : answer);
}

beforeEach(async () => {
  service = await startCannedService();
  const folder = temporaryFolder();
  at = (name) => join(folder, name);
  show(service, 'data', allRecords, SIZE);
  show(
    service,
    'account',
    ['jack', 'ann', 'bob'].map((name) => account(name, [])),
    2,
  );
  right = new Map(service.answers);
});

describe('the report of an incomplete mirror', () => {
  it('has the pages that could not be read, as ranges with the reason, in the store, the tree and the message', async () => {
    service.answers.set('/rest/data/?page=2', '<html>\nsecret</html>');
    for (const page of [4, 5]) service.answers.set(`/rest/data/?page=${page}`, status(500));
    service.answers.set('/rest/account/?page=2', status(500));
    await mirrored(at('store.db'), service.baseUrl);
    const failed_pages = [
      { url: `${service.baseUrl}/rest/data/?page=2`, pages: 1, reason: 'HTML or XML' },
      { url: `${service.baseUrl}/rest/data/?page=4`, pages: 2, reason: 'status 500' },
      { url: `${service.baseUrl}/rest/account/?page=2`, pages: 1, reason: 'status 500' },
    ];
    expect(await palimpsestJson(build('store.db', 'out'))).toMatchObject({ build: { incomplete: [{ failed_pages }] } });
    const exports = ['ndjson', 'csv', 'parquet'].map((kind) => ['export', kind, '--store', at('store.db'), '--to', at(`records.${kind}`)]);
    for (const args of [build('store.db', 'out'), ...exports, ['export', 'csv', '--store', at('store.db'), '--to', '-']]) {
      const { code, stderr } = await palimpsestHere(args);
      expect([code, stderr]).toEqual([0, expect.stringContaining(' is not known to be complete: ')]);
      expect(stderr).toContain(`page=2: HTML or XML; ${service.baseUrl}/rest/data/?page=4 and 1 page after it: status 500; `);
    }
  });

  it.each([
    ['a page of the feed', ['/rest/data/?page=2'], 0, 'lacks at least 5 of 30 records ('],
    ['a page of the accounts', ['/rest/account/?page=2'], 0, 'lacks at least 1 of 3 accounts ('],
    ['a page of the feed while a record is removed', ['/rest/data/?page=2'], 1, 'lacks at least 4 of 29 records ('],
    ['a page of the feed while as many records are removed', ['/rest/data/?page=2'], 5, /^nothing proves that .* is complete \(.*page=2: /],
    [
      'a page of each while as many records are removed',
      ['/rest/data/?page=2', '/rest/account/?page=2'],
      5,
      'lacks at least 1 of 3 accounts, possibly also records (',
    ],
    ['a page of the feed while more records are removed', ['/rest/data/?page=2'], 7, /^nothing proves that .* is complete \(.*page=2: /],
  ])('has a lower bound of what is missing, and never 0, after the failure of %s', async (_, failing, removed, sentence) => {
    failAt(...failing);
    // the records are on page 1, which is read before
    service.onRequest = () => {
      if (service.asked.at(-1) !== '/rest/data/?page=4') return;
      show(service, 'data', allRecords.slice(removed), SIZE);
      for (const target of failing) service.answers.set(target, status(500));
    };
    const { isComplete, report } = await mirrored(at('store.db'), service.baseUrl);
    expect(isComplete).toBe(false);
    expect(lackSentence(report)).toEqual(
      typeof sentence === 'string' ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
    );
  });

  it.each(['zip', 'wacz'])('ends with the import of a complete %s of the service', async (kind) => {
    await mirrored(at('whole.db'), service.baseUrl);
    const tree = kind === 'zip' ? 'whole.zip' : 'whole';
    await palimpsestJson(build('whole.db', tree, service.baseUrl));
    if (kind === 'wacz') await palimpsestJson(['archive', 'wacz', '--out', at(tree), '--to', at('whole.wacz')]);
    failAt('/rest/data/?page=2', '/rest/account/?page=2');
    await mirrored(at('store.db'), service.baseUrl);
    await palimpsestJson(build('store.db', 'part'));
    expect((await palimpsestHere(['import', at('part'), '--store', at('copy.db'), '--require-complete'])).code).toBe(1);
    const source = at(kind === 'wacz' ? 'whole.wacz' : tree);
    // a source that says what it lacks
    const both = ['import', at('part'), source, '--store', at('both.db'), '--on-conflict', 'replace', '--require-complete'];
    expect((await palimpsestHere(both)).code).toBe(1);
    await palimpsestJson(['import', source, '--store', at('store.db')]);
    expect(await palimpsestJson(build('store.db', 'part'))).not.toHaveProperty('build.incomplete');
    expect(await palimpsestJson(['import', at('part'), '--store', at('new.db'), '--require-complete'])).toMatchObject({ incomplete: [] });
  });

  it.each(['folder', 'zip', 'wacz', 'warc', 'bag'])(
    'ends with the import of a complete %s if each collection is one page without links',
    async (kind) => {
      service.answers.clear();
      const [newest, ...older] = [3, 2, 1].map((id) => record(id));
      const page = { next: null, previous: null };
      service.answers.set('/rest/data/', { ...page, count: 3, results: [newest, ...older] });
      service.answers.set('/rest/account/', { ...page, count: 1, results: [account('jack', [])] });
      await mirrored(at('whole.db'), service.baseUrl);
      service.answers.set('/rest/data/', { ...page, count: 3, results: older });
      await mirrored(at('store.db'), service.baseUrl);
      const source = async (name: string, baseUrl: string) => {
        const out = `${name}${kind === 'zip' ? '.zip' : ''}`;
        await palimpsestJson(build('whole.db', out, baseUrl));
        if (kind === 'folder' || kind === 'zip') return at(out);
        await palimpsestJson(['archive', kind, '--out', at(out), '--to', at(`${name}.${kind}`)]);
        return at(`${name}.${kind}`);
      };
      await palimpsestJson(['import', await source('other', 'https://other.example'), '--store', at('store.db')]);
      expect(await palimpsestJson(build('store.db', 'part'))).toHaveProperty('build.incomplete');
      await palimpsestJson(['import', await source('same', service.baseUrl), '--store', at('store.db')]);
      expect(await palimpsestJson(build('store.db', 'part'))).not.toHaveProperty('build.incomplete');
    },
  );

  it('stays after the import of pages that lack as much, or of another service', async () => {
    failAt('/rest/data/?page=2');
    await mirrored(at('store.db'), service.baseUrl);
    await palimpsestJson(build('store.db', 'part', service.baseUrl));
    await palimpsestJson(['import', at('part'), '--store', at('store.db')]);
    failAt();
    await mirrored(at('whole.db'), service.baseUrl);
    await palimpsestJson(build('whole.db', 'other'));
    await palimpsestJson(['import', at('other'), '--store', at('store.db')]);
    const built = await palimpsestJson(build('store.db', 'part', service.baseUrl));
    expect(built).toMatchObject({ build: { incomplete: [{ missing: { records: 5 } }] } });
  });

  it.each(['before', 'after'])('is known after the import of a package that lacks items %s saved pages that lack items', async (order) => {
    failAt('/rest/data/?page=2');
    await mirrored(at('store.db'), service.baseUrl);
    await palimpsestJson(build('store.db', 'part', service.baseUrl));
    const input = JSON.stringify({ ...(right.get('/rest/data/') as object), count: 6 });
    const sources = order === 'before' ? [at('part'), '-'] : ['-', at('part')];
    for (const source of sources) await palimpsestHere(['import', source, '--store', at('copy.db')], { input });
    const report = order === 'before' ? { missing: { records: 5 }, failed_pages: [{ pages: 1 }] } : {};
    expect(await palimpsestJson(build('copy.db', 'copy'))).toMatchObject({ build: { incomplete: [report] } });
  });

  it('is missing if saved pages lack items, because a mirror knows the items of its service', async () => {
    await mirrored(at('store.db'), service.baseUrl);
    const input = JSON.stringify({ ...(right.get('/rest/data/') as object), count: 40 });
    expect((await palimpsestHere(['import', '-', '--store', at('store.db')], { input })).stderr).toContain('incomplete');
    expect(await palimpsestJson(build('store.db', 'out'))).not.toHaveProperty('build.incomplete');
  });

  it.each([
    ['and the pages have no ETag', undefined],
    ['and the service answers 304 to known pages', '"one"'],
  ])('has the number of rejected items, until --full reads everything without one: %s', async (_, etag) => {
    const changedAt = (target: string, value: unknown) => {
      const body = JSON.stringify(value);
      service.answers.set(target, (response: ServerResponse, request: IncomingMessage) => {
        const isKnown = etag !== undefined && request.headers['if-none-match'] === etag;
        response.writeHead(isKnown ? 304 : 200, { ...(etag && { ETag: etag }), 'Content-Type': 'application/json' });
        response.end(isKnown ? undefined : body);
      });
    };
    const mirror = ['mirror', service.baseUrl, '--store', at('store.db'), '--delay', '0s', '--json'];
    const run = async (...options: string[]) => {
      const { code, stdout } = await palimpsestHere([...mirror, ...options]);
      const { complete, rejected, rejected_in_all } = JSON.parse(stdout);
      return [code, complete, rejected, rejected_in_all];
    };
    const accounts = ['jack', 'ann'].map((name) => account(name, []));
    const { bio: __, ...broken } = account('ann', []);
    const page = right.get('/rest/account/');
    changedAt('/rest/account/', { ...(page as object), results: [accounts[0], broken] });
    expect(await run()).toEqual([0, false, 1, 1]);
    for (const options of [[], ['--full'], []]) expect(await run(...options)).toEqual([0, false, 0, 1]);
    expect(await palimpsestJson(build('store.db', 'part'))).toMatchObject({ build: { incomplete: [{ rejected: 1 }] } });
    await palimpsestJson(['archive', 'warc', '--out', at('part'), '--to', at('part.warc')]);
    const { stderr } = await palimpsestHere(['import', at('part.warc'), '--store', at('copy.db'), '--require-complete']);
    expect(stderr).toContain(`the mirror of ${service.baseUrl} lacks 1 rejected item`);
    service.answers.set('/rest/account/', page);
    expect(await run('--full')).toEqual([0, true, 0, 0]);
    expect(await palimpsestJson(build('store.db', 'part'))).not.toHaveProperty('build.incomplete');
  });

  it.each([
    ['x', 'in the first run', [[]]],
    [null, 'after a complete run', [['--full']]],
    ['x', 'after a complete run, and in another run', [['--full'], [], ['--full']]],
  ])('has a record with the id %j, shown once %s, until --full reads everything without one', async (id, before, runs) => {
    const mirror = async (...options: string[]) => {
      const { code, stdout } = await palimpsestHere([
        'mirror',
        service.baseUrl,
        '--store',
        at('store.db'),
        '--delay',
        '0s',
        '--json',
        ...options,
      ]);
      const { complete, rejected_in_all, missing, gone_from_service } = JSON.parse(stdout);
      return { code, complete, rejected_in_all, missing, gone: gone_from_service };
    };
    const page = right.get('/rest/data/?page=3') as { readonly results: readonly object[] };
    if (before !== 'in the first run') await mirror();
    service.answers.set('/rest/data/?page=3', { ...page, results: page.results.with(2, { ...page.results[2], id }) });
    for (const options of runs) expect(await mirror(...options)).toMatchObject({ code: 0, complete: false, rejected_in_all: 1 });
    service.answers.set('/rest/data/?page=3', page);
    const sound = {
      code: 0,
      complete: true,
      rejected_in_all: 0,
      missing: { uncounted: { records: 0 } },
      gone: { record_ids: [], screen_names: [] },
    };
    expect(await mirror('--full')).toMatchObject(sound);
    expect(await mirror()).toMatchObject(sound);
    expect(await palimpsestJson(build('store.db', 'part'))).not.toHaveProperty('build.incomplete');
  });

  it('is read with a folder or a page inside the tree', async () => {
    failAt('/rest/data/?page=2');
    await mirrored(at('store.db'), service.baseUrl);
    await palimpsestJson(build('store.db', 'part'));
    for (const [index, source] of ['part', 'part/rest', 'part/rest/data', 'part/rest/data/index.json'].entries()) {
      const imported = await palimpsestJson(['import', at(source), '--store', at(`${index}.db`)]);
      expect(imported).toMatchObject({ incomplete: [{ base_url: service.baseUrl }] });
    }
  });

  it('is missing after a complete mirror, which suggests a build with the addresses of the service', async () => {
    const mirror = ['mirror', service.baseUrl, '--store', at('store.db'), '--delay', '0s'];
    const { code, stdout } = await palimpsestHere(mirror, { cwd: at('') });
    expect([code, stdout]).toEqual([0, expect.stringContaining(` --base-url ${service.baseUrl} --page-size 5 --account-page-size 2\n`)]);
  });

  it('is news for the next build and the next version if it alone changed', async () => {
    mkdirSync(at('target'));
    const publish = ['publish', at('target'), '--out', at('site.zip'), '--store', at('store.db')];
    const next = async (args: readonly string[]) => (await palimpsestHere(args, { cwd: at('target') })).stdout;
    await mirrored(at('store.db'), service.baseUrl);
    await palimpsestJson(build('store.db', 'site.zip'));
    await palimpsestJson(publish);
    for (const [target, answer] of right)
      if (target.startsWith('/rest/data/')) service.answers.set(target, { ...(answer as object), count: 31 });
    const mirror = ['mirror', service.baseUrl, '--store', at('store.db'), '--delay', '0s'];
    expect(await next(mirror)).toContain('next, with the address of the service ');
    expect((await palimpsestHere(mirror)).stderr).toContain('this mirror is not complete: it lacks at least 1 of 31 records');
    expect(await next(mirror)).toContain('nothing new: the store has the same records and accounts as before');
    await palimpsestJson(build('store.db', 'site.zip'));
    expect(await palimpsestJson(publish)).toMatchObject({ change: 'publish' });
    expect(await palimpsestJson(publish)).not.toMatchObject({ change: 'publish' });
  });
});
