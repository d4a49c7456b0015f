import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tarOf } from '../support/archives.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { sources } from './sources.ts';

/** Writes two parts, and observes them. Returns the results of both. */
async function inTwoParts(folder: string, source: string, ...more: readonly string[]) {
  const parts = [];
  for (const number of [0, 1]) {
    const to = join(folder, `run/part-${number}.ndjson.gz`);
    parts.push(await palimpsestJson(['normalize', source, '--shard', `${number}/2`, '--to', to, ...more]));
  }
  const { code, stdout } = await palimpsestHere(['observe', join(folder, 'run'), '--store', join(folder, 'store.db'), '--json']);
  return { parts, code, observed: JSON.parse(stdout) };
}

describe('normalize', () => {
  it('gives the store of observe in one file and in parts', async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    const [serial, one, whole] = [join(folder, 'serial.db'), join(folder, 'one.db'), join(folder, 'whole.ndjson')];
    const { milliseconds: _, store: __, ...expected } = await palimpsestJson(['observe', source, '--store', serial]);
    const { parts, observed } = await inTwoParts(folder, source);
    expect(parts[1]).toMatchObject({ part: 1, parts: 2, sources: { all: 3 }, rejected: 0, to: join(folder, 'run/part-1.ndjson.gz') });
    expect(observed).toMatchObject(expected);
    const written = await palimpsestHere(['normalize', source, '--to', whole]);
    expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`observe ${whole}`)]);
    await palimpsestJson(['observe', whole, '--store', one]);
    for (const store of [one, join(folder, 'store.db')]) expect(readFileSync(store).equals(readFileSync(serial)), store).toBe(true);
  });

  it('refuses wrong usage, and a source as its output', async () => {
    const source = sources(temporaryFolder());
    const to = join(temporaryFolder(), 'part.ndjson');
    const codeOf = async (...args: readonly string[]) => (await palimpsestHere(['normalize', ...args])).code;
    for (const shard of ['1', '/4', '4/4', '-1/4', '1/0', '0/10001', '1/4/5', '1.5/4'])
      expect(await codeOf(source, '--to', to, '--shard', shard), shard).toBe(2);
    for (const name of ['', 'run', 'run/', '.ndjson', 'part.json', 'az://run/part.ndjson', 's3:/run/part.ndjson', 's3://part.ndjson'])
      expect(await codeOf(source, '--to', name), name).toBe(2);
    expect(await codeOf('-', '--to', to, '--shard', '0/2')).toBe(2);
    expect(await codeOf(source, '--to', join(source, 'source-1.ndjson'))).toBe(2);
    expect(existsSync(to)).toBe(false);
  });

  it('writes nothing for a part with an error, and the valid rest with --rejects', async () => {
    const folder = temporaryFolder();
    const source = sources(temporaryFolder());
    writeFileSync(join(source, 'source-3.ndjson'), '{"broken');
    const command = ['normalize', source, '--to', join(folder, 'part.ndjson')];
    const failed = await palimpsestHere(command);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('source-3.ndjson')]);
    expect(readdirSync(folder)).toEqual([]);
    const rejects = join(folder, 'rejects.ndjson');
    expect(await palimpsestJson([...command, '--rejects', rejects])).toMatchObject({ rejected: 1, snapshots: 90 });
    expect(readFileSync(rejects, 'utf8')).toContain('source-3.ndjson');
    const all = await palimpsestHere([
      'normalize',
      join(source, 'source-3.ndjson'),
      '--to',
      join(folder, 'no.ndjson'),
      '--rejects',
      rejects,
      '--json',
    ]);
    expect([all.code, JSON.parse(all.stdout).error.code, readdirSync(folder)]).toEqual([
      1,
      'all-rejected',
      ['part.ndjson', 'rejects.ndjson'],
    ]);
  });

  it('gives parts that observe refuses if no part has a snapshot, and accepts if one has some', async () => {
    const source = sources(temporaryFolder());
    writeFileSync(join(source, 'source-0.ndjson'), await tarOf({ 'a.ndjson': '{"broken' }));
    for (const name of ['source-1.ndjson', 'source-2.ndjson']) writeFileSync(join(source, name), gzipSync('{"broken'));
    const [rejected, unmatched, some] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    expect(await inTwoParts(rejected, source, '--rejects', join(rejected, 'rejects.ndjson'))).toMatchObject({
      code: 1,
      observed: { error: { code: 'all-rejected', found: '3 rejected items' } },
    });
    // the content of archives and of compressed files is not known before they are read
    expect(await inTwoParts(unmatched, source, '--include', '*.txt')).toMatchObject({
      code: 1,
      observed: { error: { code: 'no-source' } },
    });
    for (const folder of [rejected, unmatched]) expect(existsSync(join(folder, 'store.db'))).toBe(false);
    writeFileSync(join(sources(source), 'source-0.ndjson'), gzipSync('{"broken'));
    const { parts, code, observed } = await inTwoParts(some, source, '--rejects', join(some, 'rejects.ndjson'));
    expect([code, observed.snapshots, parts.map((part) => part['rejected'])]).toEqual([0, 60, [1, 0]]);
  });

  it.each(['auto', 'neutral'])('reads the files that observe reads beside account.js, with --from %s', async (from) => {
    const source = sources(temporaryFolder());
    const text = readFileSync(join(source, 'source-0.ndjson'), 'utf8');
    const account = 'window.YTD.account.part0 = [{"account":{"username":"nina_k","accountId":"501","accountDisplayName":"Nina"}}]';
    writeFileSync(join(source, 'account.js'), from === 'auto' ? account : text.replaceAll('user_', 'other_'));
    for (const name of ['1.js', '2.txt']) writeFileSync(join(source, name), text.replaceAll('user_', `${name[0]}_`));
    const folder = temporaryFolder();
    const options = ['--from', from, '--observed-at', '2023-01-01T00:00:00Z'];
    const serial = join(folder, 'serial.db');
    const { skipped } = await palimpsestJson(['observe', source, '--store', serial, ...options]);
    expect(skipped).toBe(from === 'auto' ? 2 : 0);
    const { parts } = await inTwoParts(folder, source, ...options);
    expect(parts.reduce((sum, part) => sum + Number(part['skipped']), 0)).toBe(skipped);
    expect(readFileSync(join(folder, 'store.db')).equals(readFileSync(serial))).toBe(true);
  });
});
