import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountFeed, accountPage } from '../../src/browse/paths.ts';
import { type ChangeRecord, DATA_TYPES } from '../../src/contract/record.ts';
import { Store } from '../../src/store/store.ts';
import { inPackage, installed, program } from '../conformance/child.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, hostileText } from '../support/histories.ts';
import { observe, type Snapshot } from '../support/snapshots.ts';
import { browseFilesOf, SITE, storeOf } from './stored.ts';

const xmllint = program('xmllint', 'libxml2-utils');
const feedsmith = installed('feedsmith');
const SCHEMA = fileURLToPath(new URL('atom.rng', import.meta.url));

/** A feed as the library reads it. */
interface ReadFeed {
  readonly id: string;
  readonly updated: string;
  readonly title: { readonly value: string };
  readonly links: readonly { readonly href: string; readonly rel?: string }[];
  readonly entries?: readonly {
    readonly id: string;
    readonly title: { readonly value: string };
    readonly updated: string;
    readonly links: readonly { readonly href: string; readonly rel?: string }[];
    readonly content?: { readonly value: string; readonly type?: string };
  }[];
}

async function reader(): Promise<(xml: string) => ReadFeed> {
  const library = await import(pathToFileURL(inPackage('feedsmith/dist/index.mjs')).href);
  return library.parseAtomFeed;
}

const feedsIn = (files: ReadonlyMap<string, string>) => new Map([...files].filter(([path]) => path.endsWith('.atom')));

/** Returns what xmllint says about the feeds; '' if all are valid. */
function violations(feeds: ReadonlyMap<string, string>): string {
  const folder = temporaryFolder();
  const paths = [...feeds].map(([path, text]) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--relaxng', SCHEMA, ...paths], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 60_000,
  });
  return status === 0 ? '' : stderr.replace(/^.* validates\n/gm, '');
}

/** Returns a history of one account with changes of its bio. */
function biosOf(count: number, account = 'nina', text = (n: number) => `bio ${n}`): History {
  const records = Array.from({ length: count }, (_, n): ChangeRecord => {
    const time = new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString().replace('.000', '');
    const diff_html = `<span>bio </span><ins style="background:#e6ffe6;">${n}</ins>`;
    return {
      id: n + 1,
      account,
      data_type: 'Bio',
      previous: n === 0 ? null : n,
      text: text(n),
      first_encountered_date: time,
      diff_html,
      web_archive_url: null,
    };
  });
  const profile = { account_creation_date: null, profile_image_url: '', display_name: '', website: null, location: '', bio: '' };
  return { records: records.toReversed(), accounts: [{ screen_name: account, ...profile, data: records.toReversed() }] };
}

const rel = (feed: ReadFeed, name: string) => feed.links.find((link) => link.rel === name)?.href;

/** Follows prev-archive from a feed to the oldest archive, and returns the ids of all entries. */
function walk(
  feeds: ReadonlyMap<string, string>,
  parse: (xml: string) => ReadFeed,
  path: string,
): { readonly ids: string[]; readonly walked: string[] } {
  const [ids, walked]: [string[], string[]] = [[], []];
  for (let next: string | undefined = path; next !== undefined; ) {
    walked.push(next);
    const text = feeds.get(next);
    if (text === undefined) throw new Error(`${next} is missing`);
    const feed = parse(text);
    ids.push(...(feed.entries ?? []).map(({ id }) => id));
    next = rel(feed, 'prev-archive')?.slice(SITE.base_url.length + 1);
  }
  return { ids, walked };
}

describe.skipIf(xmllint.skip || feedsmith.skip)(`Atom feeds ${xmllint.reason}${feedsmith.reason}`, () => {
  it('are valid for hostile texts in every field, and a feed library reads each entry', async () => {
    const record = fc.record({
      type: fc.constantFrom(...DATA_TYPES),
      text: hostileText,
      diff: fc.oneof(
        hostileText,
        fc.constantFrom('<script>alert(1)</script>', '<span>a\u000cb</span>', '<ins>\u0008</ins>', ']]>', '<span>x<br>y</span>'),
      ),
      snapshot: fc.constantFrom(
        null,
        '',
        'https://archive.example/1?a=1&b="2"',
        'javascript:alert(1)',
        'https://archive.example/\u{1f600}',
      ),
    });
    const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z<>&"'\u{1F600}é\u0085\ufffe ]{1,12}$/u), { minLength: 3, maxLength: 3 });
    const [sampled, handles] = [fc.sample(record, { numRuns: 400, seed: 14 }), fc.sample(names, { numRuns: 1, seed: 14 })[0] ?? []];
    const records = sampled.map(({ type, text, diff, snapshot }, n): ChangeRecord => {
      const shown = type === 'Verified' ? 'true' : text;
      const first_encountered_date = n % 2 === 0 ? '0001-01-01T00:00:00Z' : '9999-12-31T23:59:59.999999Z';
      return {
        id: n,
        account: handles[n % 3] ?? 'x',
        data_type: type,
        previous: null,
        text: shown,
        first_encountered_date,
        diff_html: diff,
        web_archive_url: snapshot,
      };
    });
    const accounts = handles.map((screen_name) => ({
      ...{ screen_name, account_creation_date: null, profile_image_url: '', display_name: '', website: null, location: '', bio: '' },
      data: records.filter(({ account }) => account === screen_name).toReversed(),
    }));
    const feeds = feedsIn(browseFilesOf(await storeOf({ records: records.toReversed(), accounts })));
    expect(violations(feeds)).toBe('');
    const parse = await reader();
    let entries = 0;
    for (const text of feeds.values()) {
      for (const { content, links, title } of parse(text).entries ?? []) {
        entries += 1;
        expect(title.value).toMatch(/^@/);
        expect(links.every(({ href }) => /^https?:\/\//.test(href))).toBe(true);
        // a reader shows a content without a type as text
        expect(content?.type).toBeUndefined();
      }
    }
    // each record is in the feed of its account, and in an archive or the feed of all changes
    expect(entries).toBeGreaterThanOrEqual(2 * records.length);
  });

  it('are valid for each character that XML forbids, alone in a store', async () => {
    const feeds = new Map<string, string>();
    for (const character of ['\u0000', '\b', '\f', '\u001f', '\ufffe', '\uffff', '\ud800']) {
      const { records, accounts } = biosOf(1);
      const edited = records.map((record) => ({ ...record, text: `a${character}b` }));
      const files = browseFilesOf(await storeOf({ records: edited, accounts: accounts.map((one) => ({ ...one, data: edited })) }));
      for (const [path, text] of feedsIn(files)) feeds.set(`${character.charCodeAt(0)}/${path}`, text);
    }
    expect(violations(feeds)).toBe('');
    for (const text of feeds.values()) expect(text).toContain('>a\ufffdb<');
  });

  it('have every record once if a reader follows prev-archive', async () => {
    const parse = await reader();
    const feeds = feedsIn(browseFilesOf(await storeOf(biosOf(250))));
    const ids = Array.from({ length: 250 }, (_, n) => `${SITE.base_url}/rest/data/#${n + 1}`);
    const all = walk(feeds, parse, 'browse/changes.atom');
    expect(all.walked).toEqual(['browse/changes.atom', 'browse/changes/archive-2.atom', 'browse/changes/archive-1.atom']);
    expect(new Set(all.ids)).toEqual(new Set(ids));
    const own = walk(feeds, parse, [...feeds.keys()].find((path) => path.endsWith('/nina.atom')) ?? '');
    expect(own.ids.toSorted()).toEqual(ids.toSorted());
    expect(violations(feeds)).toBe('');
  });

  it('name the archives before and after an archive, and the feed that an archive belongs to', async () => {
    const parse = await reader();
    const feeds = feedsIn(browseFilesOf(await storeOf(biosOf(301))));
    const read = (archive: number) => parse(feeds.get(`browse/changes/archive-${archive}.atom`) ?? '');
    const at = (archive: number) => `${SITE.base_url}/browse/changes/archive-${archive}.atom`;
    expect([1, 2, 3].map((archive) => [rel(read(archive), 'prev-archive'), rel(read(archive), 'next-archive')])).toEqual([
      [undefined, at(2)],
      [at(1), at(3)],
      [at(2), undefined],
    ]);
    for (const archive of [1, 2, 3]) {
      expect(rel(read(archive), 'current')).toBe(`${SITE.base_url}/browse/changes.atom`);
      expect(read(archive).id).toBe(`${SITE.base_url}/browse/changes.atom`);
      expect(feeds.get(`browse/changes/archive-${archive}.atom`)).toMatch(/<fh:archive [^>]*\/>/);
    }
    expect(feeds.get('browse/changes.atom')).not.toContain('fh:archive');
  });

  it('have an id that is different for two accounts that had the same handle, and stays the same after a rename', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const at = (screen_name: string, id: string, day: number) => ({ observed_at: `2024-03-0${day}T00:00:00Z`, screen_name, id, bio: '' });
    const parse = await reader();
    const feedOf = async (handle: string, snapshots: readonly Snapshot[]) => {
      await observe(path, snapshots);
      const store = Store.open(path);
      const feeds = feedsIn(browseFilesOf(store));
      store.close();
      expect(violations(feeds)).toBe('');
      return parse(feeds.get(accountFeed(handle)) ?? '');
    };
    const first = await feedOf('nina', [at('nina', '1', 1)]);
    const renamed = await feedOf('nina_k', [at('nina_k', '1', 3)]);
    expect(renamed.id).toBe(first.id);
    // the earlier address tells its readers where the feed is now
    const moved = await feedOf('nina', []);
    expect(moved.entries?.map(({ title, updated }) => [title.value, updated])).toEqual([
      ['@nina is now @nina_k', '2024-03-01T00:00:00.000000Z'],
    ]);
    expect(moved.entries?.[0]?.links.map(({ href }) => href)).toEqual(
      [accountPage('nina_k'), accountFeed('nina_k')].map((target) => `${SITE.base_url}/${target}`),
    );
    expect(moved.entries?.[0]?.content?.value).toBe('@nina_k had the handle @nina before. Its page leads to its feed.');
    const another = await feedOf('nina', [at('nina', '2', 5)]);
    expect(new Set([first.id, moved.id, another.id]).size).toBe(3);
  });

  it('keep the entries of an archive when records are added', async () => {
    const [few, many] = [feedsIn(browseFilesOf(await storeOf(biosOf(250)))), feedsIn(browseFilesOf(await storeOf(biosOf(400))))];
    expect(few.get('browse/changes/archive-1.atom')).toBe(many.get('browse/changes/archive-1.atom'));
    const entries = (text = '') => text.slice(text.indexOf('<entry>'));
    expect(entries(few.get('browse/changes/archive-2.atom'))).toBe(entries(many.get('browse/changes/archive-2.atom')));
    expect(entries(few.get('browse/changes/archive-2.atom'))).toContain('#101<');
  });

  it('say who changed what, when, and where the page is', async () => {
    const parse = await reader();
    const { records, accounts } = biosOf(3, 'nina_k');
    const edited = records.map((record) =>
      record.id === 2 ? { ...record, text: '', web_archive_url: 'https://archive.example/1' } : record,
    );
    const feeds = feedsIn(browseFilesOf(await storeOf({ records: edited, accounts: accounts.map((one) => ({ ...one, data: edited })) })));
    const feed = parse(feeds.get('browse/changes.atom') ?? '');
    expect(feed.updated).toBe('2020-01-01T00:02:00Z');
    expect(feed.entries?.map(({ title, updated }) => [title.value, updated])).toEqual([
      ['@nina_k changed bio', '2020-01-01T00:02:00Z'],
      ['@nina_k removed bio', '2020-01-01T00:01:00Z'],
      ['@nina_k: first known bio', '2020-01-01T00:00:00Z'],
    ]);
    expect(feed.entries?.[0]?.content).toEqual({ value: 'bio 2' });
    expect(feed.entries?.[1]?.content).toBeUndefined();
    expect(feed.entries?.[0]?.links[0]?.href).toMatch(/^https:\/\/history\.example\/api\/browse\/account\/[0-9a-f]{2}\/nina_k\.html#r3$/);
    expect(feed.entries?.[1]?.links[1]).toEqual({ rel: 'via', href: 'https://archive.example/1' });
  });

  it('say of a first record what was seen, and of a later one what the account did', async () => {
    const parse = await reader();
    const titles = async (data_type: ChangeRecord['data_type'], values: readonly (string | null)[]) => {
      const { records, accounts } = biosOf(values.length);
      const edited = records.map((record) => ({ ...record, data_type, text: values[record.id - 1] ?? null }));
      const store = await storeOf({ records: edited, accounts: accounts.map((one) => ({ ...one, data: edited })) });
      const feed = parse(browseFilesOf(store).get('browse/changes.atom') ?? '');
      return feed.entries?.map(({ title }) => title.value).toReversed();
    };
    expect(await titles('Location', ['', 'Riga', ''])).toEqual([
      '@nina has no location',
      '@nina changed location',
      '@nina removed location',
    ]);
    expect(await titles('Website', [null])).toEqual(['@nina has no website']);
    expect(await titles('Name', ['Nina'])).toEqual(['@nina: first known name']);
    expect(await titles('Verified', ['true', 'false', 'true'])).toEqual([
      '@nina is verified',
      '@nina is not verified',
      '@nina became verified',
    ]);
    expect(await titles('Verified', ['false'])).toEqual(['@nina is not verified']);
  });

  it('are valid for a store without records, and have the time of the newest entry otherwise', async () => {
    const empty = feedsIn(browseFilesOf(await storeOf(biosOf(0))));
    expect([...empty.keys()].length).toBe(2);
    expect(violations(empty)).toBe('');
    // the time of an id that is smaller can be later
    const { records, accounts } = biosOf(2);
    const times = ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.500000Z'];
    const edited = records.map((record, index) => ({ ...record, first_encountered_date: times[index] ?? '' }));
    const feeds = feedsIn(browseFilesOf(await storeOf({ records: edited, accounts: accounts.map((one) => ({ ...one, data: edited })) })));
    expect(feeds.get('browse/changes.atom')).toContain('<updated>2020-01-01T00:00:00.500000Z</updated>\n<author>');
  });
});
