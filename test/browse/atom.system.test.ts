import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountFeed, accountPage, CHANGES_FEED } from '../../src/browse/paths.ts';
import { type ChangeRecord, DATA_TYPES } from '../../src/contract/record.ts';
import type { Site } from '../../src/contract/site.ts';
import { inPackage, installed, program } from '../conformance/child.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, hostileText } from '../support/histories.ts';
import { observe } from '../support/snapshots.ts';
import { browseFiles, browseFilesAt, historyOf, SITE as SMALL, storeOf, textsOf } from './small-site.ts';

const xmllint = program('xmllint', 'libxml2-utils');
const feedsmith = installed('feedsmith');
const SCHEMA = fileURLToPath(new URL('atom.rng', import.meta.url));
const SITE: Site = { ...SMALL, page_size: 100, account_page_size: 100, account_feeds: true };

/** A feed as the library reads it. */
interface ReadFeed {
  readonly id: string;
  readonly updated: string;
  readonly links: readonly { readonly href: string; readonly rel?: string }[];
  readonly entries?: readonly {
    readonly id: string;
    readonly title: { readonly value: string };
    readonly updated: string;
    readonly links: readonly { readonly href: string; readonly rel?: string }[];
    readonly content?: { readonly value: string; readonly type?: string };
  }[];
}

/** Returns the feeds of a history by path. xmllint must find each of them valid. */
async function feedsOf(history: History): Promise<Map<string, string>> {
  return valid(textsOf(browseFiles(await storeOf(history), SITE), '.atom'));
}

function valid(feeds: Map<string, string>): Map<string, string> {
  const folder = temporaryFolder();
  const paths = [...feeds].map(([path, text]) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
  const args = ['--noout', '--relaxng', SCHEMA, ...paths];
  const { status, stderr } = spawnSync('xmllint', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  expect(status === 0 ? '' : stderr.replace(/^.* validates\n/gm, '')).toBe('');
  return feeds;
}

const rel = (feed: ReadFeed, name: string) => feed.links.find((link) => link.rel === name)?.href;

describe.skipIf(xmllint.skip || feedsmith.skip)(`Atom feeds ${xmllint.reason}${feedsmith.reason}`, () => {
  let parse: (xml?: string) => ReadFeed;
  beforeAll(async () => {
    const { parseAtomFeed } = await import(pathToFileURL(inPackage('feedsmith/dist/index.mjs')).href);
    parse = parseAtomFeed;
  });

  it('are valid for hostile texts in every field, and a feed library reads each entry', async () => {
    const record = fc.record({
      data_type: fc.constantFrom(...DATA_TYPES),
      text: hostileText,
      diff_html: fc.oneof(
        hostileText,
        fc.constantFrom('<script>alert(1)</script>', '<span>a\u000cb</span>', '<ins>\u0008</ins>', ']]>', '<span>x<br>y</span>'),
      ),
      web_archive_url: fc.constantFrom(
        null,
        '',
        'https://archive.example/1?a=1&b="2"',
        'javascript:alert(1)',
        'https://archive.example/🌹',
      ),
    });
    const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z<>&"'\u{1F600}é\u0085\ufffe ]{1,12}$/u), { minLength: 3, maxLength: 3 });
    const [sampled, handles] = [fc.sample(record, { numRuns: 200, seed: 14 }), fc.sample(names, { numRuns: 1, seed: 14 })[0] ?? []];
    const records = sampled.map((each, n): Partial<ChangeRecord> => {
      const first_encountered_date = n % 2 === 0 ? '0001-01-01T00:00:00Z' : '9999-12-31T23:59:59.999999Z';
      const text = each.data_type === 'Verified' ? 'true' : each.text;
      return { ...each, text, account: handles[n % 3] ?? 'x', previous: null, first_encountered_date };
    });
    // what XML forbids, one in each record
    const forbidden = ['\u0000', '\b', '\f', '\u001f', '\ufffe', '\uffff', '\ud800'].map((character) => ({
      ...{ account: 'forbidden', previous: null, text: `a${character}b`, diff_html: '' },
    }));
    const feeds = await feedsOf(historyOf([...records, ...forbidden]));
    // in the feed of all changes, and in that of the account
    expect([...feeds.values()].join('').match(/>a\ufffdb</g)).toHaveLength(2 * forbidden.length);
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
    expect(entries).toBeGreaterThanOrEqual(2 * records.length);
  });

  it('have every record once if a reader follows prev-archive, and each archive names its feed, and no later archive', async () => {
    const feeds = await feedsOf(historyOf(Array(550).fill({})));
    const ids = Array.from({ length: 550 }, (_, n) => `${SITE.base_url}/rest/data/#${n + 1}`);
    const walk = (path: string) => {
      const [found, walked]: [string[], string[]] = [[], []];
      for (let next: string | undefined = path; next !== undefined; ) {
        walked.push(next);
        const feed: ReadFeed = parse(feeds.get(next));
        found.push(...(feed.entries ?? []).map(({ id }) => id));
        next = rel(feed, 'prev-archive')?.slice(SITE.base_url.length + 1);
      }
      return { found, walked };
    };
    const all = walk('browse/changes.atom');
    expect(all.walked).toEqual(['browse/changes.atom', 'browse/changes/4.atom', 'browse/changes/2.atom']);
    expect(new Set(all.found)).toEqual(new Set(ids));
    const at = (name: string) => `${SITE.base_url}/browse/${name}.atom`;
    for (const archive of ['changes/2', 'changes/4']) {
      const text = feeds.get(`browse/${archive}.atom`);
      const feed = parse(text);
      expect([rel(feed, 'next-archive'), rel(feed, 'current'), feed.id]).toEqual([undefined, at('changes'), at('changes')]);
      expect(text).toMatch(/<fh:archive [^>]*\/>/);
    }
    expect(feeds.get('browse/changes.atom')).not.toContain('fh:archive');
  });

  it('say who changed what, when, and where the page is', async () => {
    const records = [{}, { text: '', web_archive_url: 'https://archive.example/1' }, {}];
    const feed = parse((await feedsOf(historyOf(records))).get('browse/changes.atom'));
    expect(feed.updated).toBe('2020-01-01T00:02:00Z');
    expect(feed.entries?.map(({ title, updated }) => [title.value, updated])).toEqual([
      ['@nina: new bio', '2020-01-01T00:02:00Z'],
      ['@nina: bio is empty now', '2020-01-01T00:01:00Z'],
      ['@nina: first known bio', '2020-01-01T00:00:00Z'],
    ]);
    expect(feed.entries?.[0]?.content).toEqual({ value: 'bio 2' });
    expect(feed.entries?.[1]?.content).toBeUndefined();
    expect(feed.entries?.[0]?.links[0]?.href).toBe(`${SITE.base_url}/${accountPage('nina')}#r3`);
    expect(feed.entries?.[1]?.links[1]).toEqual({ rel: 'via', href: 'https://archive.example/1' });
  });

  it.each([
    ['Location', ['', 'Riga', ''], [': first known location is empty', ': new location', ': location is empty now']],
    ['Website', [null], [': first known website is empty']],
    ['Verified', ['true', 'false', 'true'], [': first known as verified', ': now not verified', ': now verified']],
    ['Verified', ['false'], [': first known as not verified']],
  ] as const)('say of a first %s what was seen, and of a later one the new value: %j', async (data_type, values, titles) => {
    const feeds = await feedsOf(historyOf(values.map((text) => ({ data_type, text }))));
    const feed = parse(feeds.get('browse/changes.atom'));
    expect(feed.entries?.map(({ title }) => title.value).toReversed()).toEqual(titles.map((title) => `@nina${title}`));
  });

  it('are valid for a store without records, and have the time of the newest entry otherwise', async () => {
    expect([...(await feedsOf(historyOf([]))).keys()]).toEqual([accountFeed('nina'), CHANGES_FEED]);
    // the time of an id that is smaller can be later
    const records = ['2020-01-01T00:00:00.500000Z', '2020-01-01T00:00:00Z'].map((first_encountered_date) => ({ first_encountered_date }));
    const feed = (await feedsOf(historyOf(records))).get('browse/changes.atom');
    expect(feed).toContain('<updated>2020-01-01T00:00:00.500000Z</updated>\n<author>');
  });

  it('of an account have its newest records and its renames, and name the accounts that had the handle before', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const at = (day: number, screen_name: string, id: string) => ({
      ...{ observed_at: `2024-03-0${day}T00:00:00Z`, screen_name, id, bio: `bio ${day}`, location: 'Riga' },
    });
    await observe(path, [
      at(1, 'nina_old', '1'),
      at(2, 'omar', '2'),
      at(3, 'nina', '1'),
      at(4, 'zoe', '2'),
      at(5, 'omar', '3'),
      at(6, 'nina', '1'),
    ]);
    const files = browseFilesAt(path, { ...SITE, page_size: 3 });
    const feeds = valid(textsOf(files, '.atom'));
    const feedOf = (handle: string): ReadFeed => parse(feeds.get(accountFeed(handle)));
    const all = ['nina', 'nina_old', 'omar', 'zoe'];
    const titles = all.map((handle) => feedOf(handle).entries?.map(({ title }) => title.value));
    expect(titles).toEqual([
      ['@nina: new bio', '@nina: new bio', '@nina_old was renamed to @nina', '@nina_old (now @nina): first known location'],
      ['@nina had the handle @nina_old before'],
      ['@omar: first known location', '@omar: first known bio', '@zoe had the handle @omar before'],
      ['@zoe: new bio', '@omar was renamed to @zoe', '@omar (now @zoe): first known location', '@omar (now @zoe): first known bio'],
    ]);
    const address = (file: string) => `${SITE.base_url}/${file}`;
    const { id, updated, links, entries } = feedOf('nina_old');
    expect([id, updated, links.map(({ href }) => href)]).toEqual([
      ...[address(accountFeed('nina_old')), '2024-03-01T00:00:00.000000Z'],
      [address(accountFeed('nina_old')), address(accountPage('nina_old'))],
    ]);
    expect(entries?.[0]?.links.map(({ href }) => href)).toEqual([address(accountPage('nina')), address(accountFeed('nina'))]);
    // an entry has one id in all feeds
    const ids = (feed: ReadFeed) => feed.entries?.map((entry) => entry.id) ?? [];
    const [newest, , rename] = ids(feedOf('nina'));
    expect(ids(parse(feeds.get(CHANGES_FEED)))).toEqual(expect.arrayContaining([newest, rename]));
    // feed readers take the first feed that a page names
    const named = [...(files.get(accountPage('nina')) ?? '').matchAll(/ href="([^"]*\.atom)"/g)].map(([, href]) => href);
    const both = [accountFeed('nina'), CHANGES_FEED].map((file) => `../../../${file}`);
    expect(named).toEqual([...both, ...both]);
  });
});
