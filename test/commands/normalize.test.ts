import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { sources } from './sources.ts';

/** Writes two parts, and observes them. Returns the results. */
async function inTwoParts(folder: string, source: string, ...more: readonly string[]) {
  const parts = [];
  for (const number of [0, 1]) {
    const to = join(folder, `run/part-${number}.ndjson.gz`);
    parts.push(await palimpsestJson(['normalize', source, '--shard', `${number}/2`, '--to', to, ...more]));
  }
  return { parts, observed: await palimpsestJson(['observe', join(folder, 'run'), '--store', join(folder, 'store.db')]) };
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
    const broken = ['normalize', join(source, 'source-3.ndjson'), '--to', join(folder, 'no.ndjson'), '--rejects', rejects];
    expect(await palimpsestHere(broken)).toMatchObject({ code: 1, stderr: expect.stringContaining('(all-rejected)') });
    expect(readdirSync(folder)).toEqual(['part.ndjson', 'rejects.ndjson']);
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
