import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyAccount as account, bioRecord as record } from '../support/bio-record.ts';
import { valuesIn as linesIn, temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsestJson, type RunOptions, palimpsestHere as run } from '../support/palimpsest.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

/** Runs the program. In its messages, the command that starts it is shortened to `palimpsest`. */
async function palimpsest(args: readonly string[], options: RunOptions) {
  const ended = await run(args, options);
  const short = (text: string) => text.replaceAll(`node ${BIN}`, 'palimpsest');
  return { ...ended, stdout: short(ended.stdout), stderr: short(ended.stderr) };
}

const page = (...results: readonly object[]) => ({ count: results.length, next: null, previous: null, results });
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A folder with the given files, and the arguments that name a store in it. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): { folder: string; store: string[]; cwd: string } {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return { folder, store: ['--store', 'store.db'], cwd: folder };
}

it.each(['observe', 'import'])(
  '%s writes no damaged item of a removed account to the rejects file, only its place and the reason',
  async (verb) => {
    const nina = '"screen_name":"nina_k","observed_at":"2026-11-02T00:00:00Z","id":"7"';
    const files = {
      'n/1.json': `{${nina},"bio":"secret","location":"Ber`,
      'n/2.json': `{${nina},"bio":"x","bio":"secret"}`,
      'n/3.json': '{"bio":"other',
    };
    const { cwd, store } = folderOf(files);
    await palimpsestJson(['observe', '-', ...store], { cwd, input: `{${nina}}` });
    await palimpsest(['remove', 'nina_k', ...store, '--yes'], { cwd });
    await palimpsest([verb, 'n', ...store, '--rejects', 'r.ndjson'], { cwd });
    const rejects = join(cwd, 'r.ndjson');
    expect(readFileSync(rejects, 'utf8')).not.toMatch(/nina|secret/);
    const found = expect.stringContaining('an account that was removed');
    expect(linesIn(rejects)).toMatchObject([
      { code: 'bad-json', file: 'n/1.json', line: 1, expected: 'JSON', found },
      { code: 'bad-json', file: 'n/2.json', line: 1, expected: 'each field once', found },
      { code: 'bad-json', file: 'n/3.json', item: files['n/3.json'] },
    ]);
  },
);

describe('palimpsest import of a folder with other files', () => {
  const files = {
    'site/1.json': JSON.stringify(page(record(1))),
    'site/2.png': PNG,
    'site/3.ndjson': `${JSON.stringify(record(3))}\n${JSON.stringify(record(4, { text: 7 }))}\n`,
    'site/4.json': '',
    'site/5.ndjson': Buffer.from(`${JSON.stringify(record(5))}\n{"bio":"caf\xe9"}`, 'latin1'),
    'site/6/users.json': '{"users":[{"screen_name":"jack","id_str":"12"}]}',
  };

  it('lists all files with errors at once, and imports nothing', async () => {
    const { cwd, store } = folderOf(files);
    const { code, stdout, stderr } = await palimpsest(['import', 'site', ...store, '--json'], { cwd });
    expect(code).toBe(1);
    expect(stderr.split('\n')).toEqual([
      'error: site/2.png is a PNG image (bad-encoding)',
      '  where     site/2.png',
      '  expected  JSON in UTF-8, which may be compressed',
      '  found     a PNG image',
      "  try       leave such files out: palimpsest import site --store store.db --exclude '*.png'",
      '  also      site/3.ndjson, line 2, text: 7 (bad-field)',
      '  also      site/4.json, line 1: an empty file (bad-json)',
      expect.stringMatching(/^ {2}also {6}site\/5.ndjson: invalid bytes among the first \d+; the text is Latin-1.* \(bad-encoding\)$/),
      '  also      site/6/users.json, line 1: a user of the Twitter API 1.1 (with screen_name) (bad-field)',
      '',
    ]);
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ file: 'site/2.png', unlisted: 0 });
    expect(error.others.map(({ file }: { file: string }) => file)).toEqual([
      'site/3.ndjson',
      'site/4.json',
      'site/5.ndjson',
      'site/6/users.json',
    ]);
    expect(error.others[3].hint).toContain('palimpsest observe site/6/users.json --store store.db --observed-at TIME');
  });
});

describe('palimpsest import', () => {
  it('imports an account without data, and the other items of a page with a broken one', async () => {
    const twice = JSON.stringify(record(2)).replace('{', '{"text":"again",');
    const line = JSON.stringify(page(record(1), record(3))).replace('},{', `},${twice},{`);
    const { cwd, store } = folderOf({
      'page.json': line,
      'nonsense.json': line.replace(twice, '{"id":NaN}').replace('"id":3', '"id":5'),
      'profiles.ndjson': [account('jill'), account('joan', { data_page_count: 3 })]
        .map(({ data: _, ...rest }) => rest)
        .map((one) => JSON.stringify(one))
        .join('\n'),
    });
    const rejects = ['--rejects', 'rejects.ndjson'];
    expect(await palimpsestJson(['import', 'page.json', 'nonsense.json', 'profiles.ndjson', ...store, ...rejects], { cwd })).toMatchObject({
      records_by_outcome: { added: 3, same: 1 },
      accounts_by_outcome: { added: 2 },
      rejected: 2,
    });
    expect(linesIn(join(cwd, 'rejects.ndjson'))).toMatchObject([
      { file: 'page.json', field: 'results[1].text', item: twice },
      { file: 'nonsense.json', field: 'results[1]', item: '{"id":NaN}' },
    ]);
  });

  const [older, newer] = ['2010-01-01T00:00:00Z', '2020-01-01T00:00:00Z'];
  const twins = [
    account('twin', { account_creation_date: newer, data: [record(9, { account: 'twin' })], bio: 'new', data_page_count: 1 }),
    account('twin', { account_creation_date: older, data: [record(2, { account: 'twin' })], bio: 'old', data_page_count: 1 }),
  ] as const;

  it.each([
    ['the newer', twins],
    ['the older', twins.toReversed()],
  ])('imports everything else if two accounts have one screen name, %s first, and lists the choices', async (_, order) => {
    const { cwd, store } = folderOf({ 'page.json': JSON.stringify(page(...order, account('jill'))) });
    const { code, stdout, stderr } = await palimpsest(['import', 'page.json', ...store], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('store.db has 2 records of 2 accounts');
    expect(stderr.split('\n')).toEqual([
      'warning: 1 profile left out because of a conflict; everything else was imported',
      `warning: twin: two accounts have this screen name; the store has the one created ${newer}, not the one created ${older} (page.json, line 1, results[1])`,
      'warning: to keep the profiles of the store: palimpsest import page.json --store store.db --on-conflict keep',
      'warning: to take the other profiles: palimpsest import page.json --store store.db --on-conflict replace',
      'warning: to set the other profiles aside in a file: palimpsest import page.json --store store.db --rejects FILE',
      '',
    ]);
    expect(await palimpsest(['import', 'page.json', ...store, '--on-conflict', 'keep'], { cwd })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const rejects = ['--rejects', 'rejects.ndjson'];
    const fresh = ['--store', 'fresh.db'];
    expect(await palimpsestJson(['import', 'page.json', ...fresh, ...rejects], { cwd })).toMatchObject({
      rejected: 1,
      conflicts: { count: 0 },
    });
    expect(linesIn(join(cwd, 'rejects.ndjson'))).toMatchObject([{ code: 'conflict', item: { bio: 'old', account_creation_date: older } }]);
  });
});

describe('palimpsest observe', () => {
  it('reads its corrected rejects with the format and the time that they had', async () => {
    const tweet = (id: string, user: object) => ({ timestamp_ms: '1500000000000', id, user });
    const user = (name: string, more: object = {}) => ({ id_str: name, screen_name: name, name, created_at: 7, ...more });
    const { cwd, store } = folderOf({
      'users/1.ndjson': `${JSON.stringify(user('a'))}\n{"screen_name":"b",\n`,
      'users/2.ndjson': '',
      'tweets.ndjson': JSON.stringify(tweet('1', user('c'))),
    });
    const options = ['--observed-at', '2017-09-19T20:47:28Z', '--from', 'twitter-v1', '--unescape', '--rejects', 'rejects.ndjson'];
    expect(await palimpsest(['observe', 'users', ...store, ...options], { cwd })).toMatchObject({ code: 1 });
    const more = ['observe', 'tweets.ndjson', ...store, '--rejects', 'rejects.ndjson'];
    expect(await palimpsest(more, { cwd })).toMatchObject({ code: 1 });
    const lines = linesIn(join(cwd, 'rejects.ndjson'));
    expect(lines.map(({ options }) => options)).toEqual([
      ...Array(3).fill({ from: 'twitter-v1', observed_at: '2017-09-19T20:47:28.000000Z', unescape: true }),
      { from: 'twitter-v1', observed_at: '2017-07-14T02:40:00.000000Z' },
    ]);
    const text = readFileSync(join(cwd, 'rejects.ndjson'), 'utf8');
    const corrected = text
      .replaceAll('"created_at":7', '"description":"1 &lt; 2"')
      .replaceAll(String.raw`{\"screen_name\":\"b\",`, String.raw`{\"screen_name\":\"b\",\"id_str\":\"b\"}`);
    writeFileSync(join(cwd, 'rejects.ndjson'), corrected);
    writeFileSync(join(cwd, 'users/2.ndjson'), JSON.stringify(user('d', { created_at: null })));
    expect(await palimpsestJson(['observe', 'rejects.ndjson', ...store], { cwd })).toMatchObject({ snapshots: 4, rejected: 0 });
    const bios = async (name: string) => (await palimpsestJson(['history', name, ...store], { cwd }))['results'];
    expect(await bios('a')).toMatchObject([
      { data_type: 'Website' },
      {},
      { text: '1 < 2', first_encountered_date: '2017-09-19T20:47:28.000000Z' },
      {},
    ]);
    expect(await bios('c')).toMatchObject([{}, {}, { text: '1 &lt; 2', first_encountered_date: '2017-07-14T02:40:00.000000Z' }, {}]);
  });
});

it.each([
  ['import', JSON.stringify(record(1))],
  ['observe', '{"screen_name":"nina_k","observed_at":"2026-11-02T00:00:00Z","id":"7"}'],
])('%s reads a corrected list, and writes an item in it that is still wrong to the rejects file', async (command, item) => {
  const twice = item.replace('"id":', '"id":"8","id":');
  const line = { code: 'bad-json', expected: 'JSON', found: 'text', item: `[${item},${twice}]` };
  const { cwd, store } = folderOf({ corrected: JSON.stringify(line) });
  expect(await palimpsestJson([command, 'corrected', ...store, '--rejects', 'r.ndjson'], { cwd })).toMatchObject({ rejected: 1 });
  expect(linesIn(join(cwd, 'r.ndjson'))).toMatchObject([{ expected: 'each field once', item: twice }]);
});

describe('a run with --rejects that rejects every item', () => {
  const files = {
    'error.json': '<!DOCTYPE html><p>502 Bad Gateway',
    'records.ndjson': '{"id":"x"}\n',
    'snapshots.ndjson': '{"screen_name":5}\n{"screen_name":6}\n',
  };

  it.each([
    ['import', 'records.ndjson', /^1 rejected item, most often bad-field \(1\), such as: /],
    ['observe', 'error.json', /^1 rejected item, most often bad-json \(1\), such as: HTML or XML/],
    ['observe', '.', /^4 rejected items, most often bad-field \(3\), such as: /],
  ])('of %s %s fails, writes the rejects file and creates no store', async (command, source, found) => {
    const { cwd, folder } = folderOf(files);
    const args = [command, source, '--store', 'data/store.db', '--rejects', 'rejects.ndjson'];
    const dry = await palimpsest([...args, '--dry-run'], { cwd });
    expect(dry).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run again without --dry-run to write the items to rejects.ndjson'),
    });
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(files));
    const { code, stdout, stderr } = await palimpsest([...args, '--json'], { cwd });
    const hint = `correct the items in rejects.ndjson, then run \`palimpsest ${command} rejects.ndjson --store data/store.db\`; or fetch the files`;
    expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
      code: 1,
      error: { code: 'all-rejected', file: 'rejects.ndjson', found: expect.stringMatching(found), hint: expect.stringContaining(hint) },
    });
    expect(stderr).toContain('error: no item was accepted, and the store is unchanged (all-rejected)');
    expect(linesIn(join(folder, 'rejects.ndjson'))).toHaveLength(Number(found.source[1]));
    expect(readdirSync(folder).toSorted()).toEqual([...Object.keys(files), 'rejects.ndjson'].toSorted());
  });
});

it('the suggestion for a bad file keeps the good files with the same name', async () => {
  const note = (text: string) => JSON.stringify({ acct: 'a@social.example', id: '1', note: text });
  const nights = ['2024-05-01', '2024-05-02', '2024-05-03', '2024-05-04', '2024-05-05', '2024-05-06'];
  const files = Object.fromEntries(nights.map((night) => [`nights/${night}/a.json`, note(night)]));
  const { cwd, store } = folderOf({ ...files, 'nights/2024-05-03/a.json': '<!DOCTYPE html><p>502 Bad Gateway' });
  const { code, stderr } = await palimpsest(['observe', 'nights', ...store], { cwd });
  expect(code).toBe(1);
  const [, suggested = ''] = /leave such files out: palimpsest (.*)/.exec(stderr) ?? [];
  expect(suggested).toBe('observe nights --store store.db --rejects FILE');
  expect(await palimpsestJson(suggested.split(' '), { cwd })).toMatchObject({ snapshots: 5, rejected: 1, records_by_field: { Bio: 5 } });
  const { stdout } = await palimpsest(suggested.split(' '), { cwd });
  const [, advice = ''] = /^to observe the rejected items: (.*)$/m.exec(stdout) ?? [];
  expect(advice).toMatch(
    /^correct the items in FILE, then run `.*`; or fetch the files that it names again, then run the same command again$/,
  );
  writeFileSync(join(cwd, 'nights/2024-05-03/a.json'), note('2024-05-02'));
  const again = await palimpsestJson(suggested.split(' '), { cwd });
  expect(again).toMatchObject({ snapshots: 6, rejected: 0 });
});
