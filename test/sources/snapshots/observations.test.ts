import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inputsOf } from '../../../src/sources/inputs/inputs.ts';
import { zipOf } from '../../support/archives.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fixture } from '../formats/format-suite.ts';
import { errorIn, input, NOON, observationsIn, readInputs, readText, readValues } from '../formats/reading.ts';
import { expectSound } from '../formats/sound.ts';

const neutral = fixture('neutral');
const archive = fixture('twitter-archive');

/** The files of an archive in the form of Twitter. */
function archiveFiles(): Record<string, string> {
  const script = (name: string, part: unknown) => `window.YTD.${name}.part0 = ${JSON.stringify(part, null, 2)}`;
  return {
    'data/account.js': script('account', archive['account']),
    'data/profile.js': script('profile', archive['profile']),
    'data/verified.js': script('verified', archive['verified']),
    'data/screen-name-change.js': script('screen_name_change', archive['screen-name-change']),
    'data/manifest.js': `window.__THAR_CONFIG = ${JSON.stringify(archive['manifest'], null, 2)}`,
    'data/tweets.js': 'window.YTD.tweets.part0 = [ {"tweet": {}} ]',
    'data/tweets_media/1.jpg': '\u00ff\u00d8',
    'assets/js/runtime.js': 'void 0',
    'Your archive.html': '<!doctype html>',
  };
}

async function readFolder(files: Readonly<Record<string, string | Buffer>>, context = {}) {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const found = await readInputs(inputsOf([folder], nothing()), context);
  return found.map((item) => ({ ...item, place: { ...item.place, file: item.place.file?.slice(folder.length + 1) ?? '' } }));
}

async function* nothing() {}

describe('a Twitter archive', () => {
  it('gives one observation, and its other files are ignored', async () => {
    const found = await readFolder(archiveFiles());
    expect(observationsIn(found)).toEqual(observationsIn(await readValues([archive])));
    expect(found[0]?.place.file).toBe(join('data', 'account.js'));
    // as it was downloaded
    const zip = join(temporaryFolder(), 'twitter.zip');
    writeFileSync(zip, await zipOf(archiveFiles()));
    expect(observationsIn(await readInputs(inputsOf([zip], nothing())))).toEqual(observationsIn(found));
  });

  it('is read beside other archives and snapshots, also if it is compressed', async () => {
    const one = Object.entries(archiveFiles()).map(([path, text]) => [join('one', path), text] as const);
    const two = Object.entries(archiveFiles()).map(([path, text]) => [join('two', `${path}.gz`), gzipSync(text)] as const);
    const files = { ...Object.fromEntries([...one, ...two.slice(0, 5)]), 'one/data/kept.ndjson': JSON.stringify(neutral) };
    const found = await readFolder(files);
    expect(found.map(({ place }) => place.file)).toEqual(['one/data/account.js', 'one/data/kept.ndjson', 'two/data/account.js.gz']);
    expect(observationsIn(found).at(-1)).toEqual(observationsIn(found)[0]);
  });

  it('gives fewer fields if files are missing', async () => {
    const { 'data/account.js': account = '' } = archiveFiles();
    expect(observationsIn(await readFolder({ 'account.js': account }))).toMatchObject([
      { observed_at: NOON, profile: { screen_name: 'mira_okonjo', bio: undefined, verified: undefined }, former_names: [] },
    ]);
    expect(observationsIn(await readText(account))).toMatchObject([{ profile: { screen_name: 'mira_okonjo' } }]);
  });

  it('names the file with an error, and the other files are still read', async () => {
    const broken = await readFolder({ ...archiveFiles(), 'data/manifest.js': 'window.__THAR_CONFIG = {"a": 1,}' });
    expect(broken).toMatchObject([
      { kind: 'error', code: 'bad-json', place: { file: 'data/manifest.js', line: 1 } },
      { kind: 'observation' },
    ]);
    const profile = 'window.YTD.profile.part0 = [{"profile": {"description": {"bio": 7}}}]';
    expect(await readFolder({ ...archiveFiles(), 'data/profile.js': profile })).toMatchObject([
      { kind: 'error', place: { file: 'data/profile.js', field: 'profile.description.bio' } },
    ]);
    expect(errorIn(await readFolder({ ...archiveFiles(), 'data/account.js': 'window.YTD.account.part0 = []' }))).toMatchObject({
      place: { file: 'data/account.js' },
    });
  });

  it('is not recognized as an archive if --from names another format', async () => {
    const found = await readFolder({ 'account.js': JSON.stringify(neutral), 'b.txt': JSON.stringify(neutral) }, { from: 'neutral' });
    expect(observationsIn(found)).toHaveLength(2);
  });
});

describe('observationsOf', () => {
  it.each([
    ['twitter-v1', 'users'],
    ['bluesky', 'profiles'],
    ['mastodon', 'accounts'],
  ] as const)('reads the %s snapshots of the list %s, and names one that is broken', async (format, list) => {
    const found = await readValues([{ [list]: [fixture(format), 7, fixture(format)], statuses: [] }]);
    expect(found.map(({ kind, place }) => [kind, place.field])).toEqual([
      ['observation', `${list}[0]`],
      ['error', `${list}[1]`],
      ['observation', `${list}[2]`],
    ]);
  });

  it('continues after a value that is not a snapshot', async () => {
    const line = JSON.stringify(neutral);
    const found = await readText([line, '{"a":', '7', '{"other": 1}', `[[${line}]]`, '', line].join('\n'));
    expect(found.map(({ kind, place }) => [kind, place.line, place.field])).toEqual([
      ['observation', 1, undefined],
      ['error', 2, undefined],
      ['error', 3, undefined],
      ['error', 4, undefined],
      ['observation', 5, '[0][0]'],
      ['observation', 7, undefined],
    ]);
    expect(found[3]).toMatchObject({
      expected: expect.stringContaining('one of the formats neutral'),
      hint: expect.stringContaining('docs/snapshots.md'),
    });
  });

  it('reads every value in the format of --from, or rejects it', async () => {
    expect(errorIn(await readValues([neutral], { from: 'bluesky' }))).toMatchObject({ place: { field: 'handle' } });
    expect(errorIn(await readValues([neutral], { from: 'bluesky' })).hint).toMatch(/^leave out --from to detect the format: /);
    expect(errorIn(await readText('[7]', { from: 'bluesky' }))).toMatchObject({ expected: 'a Bluesky profile (with did and handle)' });
  });

  it('does not name --from for an item in a rejects file, which has the format in its line', async () => {
    const reject = { code: 'bad-field', expected: '', found: '', item: neutral, options: { from: 'bluesky' } };
    const { hint } = errorIn(await readValues([reject], { openAgain: (name) => input(name, '') }));
    expect(hint).toBe('correct the item or its options in this line: the item does not look like a Bluesky profile (with did and handle)');
  });

  it.each([
    ['['.repeat(100_000), ']'.repeat(100_000)],
    ['{"user":'.repeat(100_000), `7${'}'.repeat(100_000)}`],
    ['{"quoted_status":'.repeat(100_000), `7${'}'.repeat(100_000)}`],
    ['{"data":'.repeat(100_000), `7${'}'.repeat(100_000)}`],
  ])('rejects a value that is nested a hundred thousand times: %.20s', async (open, close) => {
    for (const text of [open + close, open, `{"a":1}\n${open}${close}\n`]) {
      const found = await readText(text);
      expect(found.every(({ kind }) => kind === 'error')).toBe(true);
      expectSound(found);
    }
  });

  it('reads a list in one line without its broken snapshots', async () => {
    const one = (name: string) => JSON.stringify({ ...neutral, screen_name: name, id: name });
    const twice = one('b').replace('{', '{"bio":"again",');
    const list = `[${one('a')},${twice},${one('c')}]`;
    const names = (found: Awaited<ReturnType<typeof readText>>) =>
      found.map((item) => (item.kind === 'observation' ? item.observation.profile.screen_name : item.place.field));
    // after a first line, each line is one value
    expect(names(await readText(`${one('z')}\n${list}`))).toEqual(['z', '[1].bio', 'a', 'c']);
    expect(names(await readText(`${one('z')}\n${list.replace(twice, '{"bio":nonsense}')}`))).toEqual(['z', 'a', '[1]', 'c']);
    const user = (name: string) => `{"username":"${name}","name":"n","id":"${name}"}`;
    const response = `{"data":[${user('a')},${user('b').replace('{', '{"id":"7",')}],"includes":{"users":[${user('c')}]}}`;
    expect(names(await readText(response))).toEqual(['data[1].id', 'a', 'c']);
  });

  it.each([
    ['a change record', { id: 1, account: 'a', data_type: 'Bio', first_encountered_date: '2020-01-01T00:00:00Z' }],
    ['an account with its records', { screen_name: 'a', display_name: '', bio: '', data: [], data_page_count: 0 }],
    ['a saved page', { count: 0, next: null, previous: null, results: [] }],
    ['an export of a store', { format: 'palimpsest-store', version: 1, accounts: 0, records: 0 }],
  ])('names import for %s', async (found, value) => {
    for (const from of [undefined, 'neutral', 'mastodon'] as const) {
      expect(errorIn(await readValues([value], { from }))).toMatchObject({
        found,
        hint: 'read records, accounts and pages with import: palimpsest import snapshots',
      });
    }
  });
});
