import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bzip2, COMPRESSIONS, type Files, programs, tarOf, zipOf } from '../support/archives.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample-snapshots.ndjson', import.meta.url));

/** Files as in an archive of the Twitter stream: one for each minute, in folders for each day and hour. */
function grabOf(texts: readonly string[]): Record<string, string> {
  const minute = (index: number) => String(index).padStart(2, '0');
  return Object.fromEntries(texts.map((text, index) => [`2017/01/01/00/${minute(index)}.json`, text]));
}

/** The extensions of compressed files. */
const EXTENSIONS: Readonly<Record<string, string>> = { gzip: 'gz', bzip2: 'bz2', xz: 'xz', Zstandard: 'zst' };

const sample = readFileSync(SAMPLE, 'utf8');
const GRAB = grabOf([2017, 2018, 2019, 2020].map((year) => sample.replaceAll('"observed_at":"2023', `"observed_at":"${year}`)));

const compressed = (files: Files): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${path}.bz2`, bzip2(content)]));

function write(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Observes a source into a new store, and returns the bytes of the store. */
async function storeOf(cwd: string, source: string, ...options: readonly string[]): Promise<Buffer> {
  await palimpsestJson(['observe', source, '--store', 'store.db', ...options], { cwd });
  const bytes = readFileSync(join(cwd, 'store.db'));
  rmSync(join(cwd, 'store.db'));
  return bytes;
}

describe.skipIf(programs.skip)('palimpsest observe of archives', () => {
  it('adds nothing if a member is cut short or is not JSON, and the rest with --rejects', async () => {
    const cwd = temporaryFolder();
    const [first = '', second = '', third = '', fourth = ''] = Object.keys(GRAB);
    const lines = (GRAB[second] ?? '').split('\n');
    const damaged = { ...GRAB, [second]: [...lines.slice(0, 2), 'not JSON', ...lines.slice(2)].join('\n') };
    const members = compressed(damaged);
    members[`${third}.bz2`] = members[`${third}.bz2`]?.subarray(0, 90) ?? Buffer.of();
    write(cwd, { 'grab.tar': await tarOf(members) });
    const { code, stderr } = await palimpsestHere(['observe', 'grab.tar', '--store', 'new.db'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(`where     grab.tar: ${second}.bz2, line 3`);
    expect(stderr).toContain(`also      grab.tar: ${third}.bz2: bzip2: Compressed file ends unexpectedly`);
    expect((await palimpsestHere(['accounts', '--store', 'new.db'], { cwd })).stderr).toContain('(no-store)');

    const rest = { [first]: GRAB[first] ?? '', [second]: GRAB[second] ?? '', [fourth]: GRAB[fourth] ?? '' };
    for (const [path, text] of Object.entries(rest)) write(join(cwd, 'plain'), { [path]: text });
    const store = await storeOf(cwd, 'grab.tar', '--rejects', 'rejects.ndjson', '--max-rejected', '100%');
    expect(store.equals(await storeOf(cwd, 'plain'))).toBe(true);
    const rejects = readFileSync(join(cwd, 'rejects.ndjson'), 'utf8').trim().split('\n');
    expect(rejects.map((line) => JSON.parse(line))).toMatchObject([
      { code: 'bad-json', file: `grab.tar: ${second}.bz2`, line: 3, item: 'not JSON' },
      { code: 'bad-encoding', file: `grab.tar: ${third}.bz2` },
    ]);

    // the archive was repaired: the member that was rejected as a whole is read again
    write(cwd, { 'grab.tar': await tarOf(compressed(GRAB)), 'again.ndjson': `${rejects[1]}\n` });
    const again = await palimpsestJson(['observe', 'again.ndjson', '--store', 'again.db'], { cwd });
    expect(again['snapshots']).toBe((GRAB[third] ?? '').trim().split('\n').length);
  });

  it('applies --include and --exclude to the members', async () => {
    const cwd = temporaryFolder();
    write(cwd, { 'in/grab.tar': await tarOf(compressed(GRAB)), 'in/other.json': 'not read' });
    const observations = async (...args: string[]) => {
      const summary = await palimpsestJson(['observe', ...args, '--store', join(temporaryFolder(), 'store.db')], { cwd });
      return Number(summary['snapshots']) / (sample.trim().split('\n').length || 1);
    };
    expect(await observations('in/grab.tar', '--include', '2017/01/**/03*')).toBe(1);
    expect(await observations('in', '--include', 'grab.tar', '--exclude', '02.json.bz2')).toBe(3);
    expect(await observations('in', '--include', 'grab.tar/2017/01/01/00/03*')).toBe(1);
    const { code, stderr } = await palimpsestHere(['observe', 'in/grab.tar', '--include', '*.txt', '--store', 'none.db'], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('no file of the sources matches the patterns (no-source)')]);
  });

  it('reads sources of every type in the folder of a Twitter archive, and counts the files that it skips', async () => {
    const cwd = temporaryFolder();
    const snapshot = (screen_name: string) => JSON.stringify({ observed_at: '2023-01-01T00:00:00Z', screen_name });
    const account = 'window.YTD.account.part0 = [{"account":{"username":"nina_k","accountId":"501","accountDisplayName":"Nina"}}]';
    write(join(cwd, 'in'), {
      'Your archive.html': '<html>',
      'assets/js/1.js': 'void 0',
      'data/account.js': account,
      'data/tweets.js': 'window.YTD.tweets.part0 = []',
      'data/README.txt': 'text',
      'data/tweets_media/1.JPG': Buffer.from('\xff\xd8\xff', 'latin1'),
      'data/plain.ndjson': snapshot('plain'),
      'data/a.tar': await tarOf({ 'a.json': snapshot('tar') }),
      'data/more/a.zip': await zipOf({ 'a.json': snapshot('zip') }),
      ...Object.fromEntries(COMPRESSIONS.map(([name, compress]) => [`data/more/a.${EXTENSIONS[name]}`, compress(snapshot(name))])),
    });
    const options = ['--observed-at', '2023-01-01T00:00:00Z', '--store', 'store.db'];
    expect(await palimpsestJson(['observe', 'in', ...options], { cwd })).toMatchObject({ snapshots: 8, skipped: 5 });
    const { stdout } = await palimpsestHere(['observe', 'in', ...options], { cwd });
    expect(stdout).toContain('skipped   5 files of Twitter archives');
    // a file that was named is always read
    write(cwd, { 'account.js': account, 'a.tar': await tarOf({ 'a.json': snapshot('tar') }), 'a.txt': snapshot('text') });
    const named = await palimpsestJson(['observe', 'account.js', 'a.tar', 'a.txt', '--min-accounts', '0%', ...options], { cwd });
    expect(named).toMatchObject({ snapshots: 3, skipped: 0 });
  });
});
