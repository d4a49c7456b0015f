import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import type { InputError } from '../../src/sources/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inputsFrom, normalizePart } from '../support/parts.ts';
import type { Snapshot } from '../support/snapshots.ts';

let folder: string;
let part: string;

beforeEach(() => {
  folder = temporaryFolder();
  part = join(folder, 'run/part.ndjson.gz');
});

const seen = (second: number, more: Snapshot = {}): Snapshot => ({
  observed_at: new Date(Date.UTC(2020, 0, 1, 0, 0, second)).toISOString(),
  screen_name: 'ann',
  bio: 'one',
  ...more,
});

/** Returns the lines of a part. */
function linesOf(path: string): Record<string, unknown>[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

describe('normalizeSources', () => {
  it('writes consecutive equal profiles of an account as one line with all times, and keeps every observed value', async () => {
    const values = { id: '7', website: null, account_creation_date: null, profile_image_url: '', former_names: ['old'] };
    const precise = { ...values, screen_name: undefined, observed_at: '2020-01-01T00:00:09.000001Z', web_archive_url: '' };
    const inputs = inputsFrom([
      [seen(2), seen(9, precise)],
      [seen(1), seen(3, { bio: 'two' }), seen(4), seen(4, { web_archive_url: 'https://archive.example/1' })],
    ]);
    const summary = await normalizePart(inputs, part, 0, 1);
    const [header, ...lines] = linesOf(part);
    expect(header).toMatchObject({ format: 'palimpsest-part', version: 1, part: 0, parts: 1, files: 2, snapshots: 6, rejected: 0 });
    const time = (second: number) => `2020-01-01T00:00:0${second}.000000Z`;
    expect(lines.filter(({ screen_name }) => screen_name === 'ann')).toEqual([
      { ...seen(1), observed_at: time(1), also_observed_at: [time(2)] },
      { ...seen(3), observed_at: time(3), bio: 'two' },
      { ...seen(4), observed_at: time(4) },
      { ...seen(4), observed_at: time(4), web_archive_url: 'https://archive.example/1' },
    ]);
    expect(lines.filter(({ id }) => id === '7')).toEqual([
      { observed_at: '2020-01-01T00:00:09.000001Z', ...values, bio: 'one', web_archive_url: '' },
    ]);
    expect(summary).toMatchObject({ snapshots: 6, profiles: 5, rejected: 0, sources: { part: 2, all: 2 } });
  });

  it('writes at most 1,000 further times in a line', async () => {
    const summary = await normalizePart(inputsFrom([Array.from({ length: 2500 }, (_, second) => seen(second))]), part, 0, 1);
    expect(summary).toMatchObject({ snapshots: 2500, profiles: 3 });
    expect(
      linesOf(part)
        .slice(1)
        .map((line) => Array(line['also_observed_at']).flat().length),
    ).toEqual([1000, 1000, 497]);
  });

  it('writes the same bytes again, also twice at once, and leaves no other file', async () => {
    const inputs = () => inputsFrom([[seen(2), seen(1, { bio: 'two' })], [seen(3)]]);
    await normalizePart(inputs(), part, 1, 2);
    const bytes = readFileSync(part);
    // a killed run left its draft
    writeFileSync(join(folder, 'run/.part.ndjson.gz.6f1c.draft'), 'x');
    await Promise.all([normalizePart(inputs(), part, 1, 2), normalizePart(inputs(), part, 1, 2)]);
    expect(readFileSync(part).equals(bytes)).toBe(true);
    expect(readdirSync(join(folder, 'run'))).toEqual(['part.ndjson.gz']);
    const plain = join(folder, 'part.ndjson');
    await normalizePart(inputs(), plain, 1, 2);
    expect(linesOf(plain)).toEqual(linesOf(part));
  });

  it('names the same sources in all parts, and others if the sources, the options or the number of parts differ', async () => {
    const sources = async (...parameters: Parameters<typeof normalizePart>) => {
      await normalizePart(...parameters);
      return linesOf(part)[0]?.['sources'];
    };
    const inputs = inputsFrom([[seen(1)], [seen(2)]]);
    const first = await sources(inputs, part, 0, 2);
    expect(await sources(inputs, part, 1, 2)).toBe(first);
    const patterns = { include: ['*.json'], exclude: [] };
    const snapshots = { from: 'neutral', observedAt: undefined, unescape: false, openAgain: undefined } as const;
    const others = [
      await sources(inputs, part, 0, 3),
      await sources(inputsFrom([[seen(1)]]), part, 0, 2),
      await sources(inputs, part, 0, 2, { patterns }),
      await sources(inputs, part, 0, 2, { snapshots }),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });

  it('leaves the earlier part as it was if an input has an error, or the run is stopped', async () => {
    await normalizePart(inputsFrom([[seen(1)]]), part, 0, 1);
    const bytes = readFileSync(part);
    await expect(normalizePart(inputsFrom([[seen(2), '{"broken']]), part, 0, 1)).rejects.toMatchObject({ code: 'bad-json' });
    const signal = AbortSignal.abort();
    await expect(normalizePart(inputsFrom([[seen(2)]]), part, 0, 1, { signal })).rejects.toMatchObject({ code: 'stopped' });
    const beforeCommit = () => Promise.reject(new Error('full'));
    await expect(normalizePart(inputsFrom([[seen(2)]]), part, 0, 1, { beforeCommit })).rejects.toThrow('full');
    expect(readFileSync(part).equals(bytes)).toBe(true);
    expect(readdirSync(join(folder, 'run'))).toEqual(['part.ndjson.gz']);
  });

  it('writes nothing if every item is rejected, but one of several parts may have no snapshot', async () => {
    const rejects: InputError[] = [];
    const onReject = (error: InputError) => void rejects.push(error);
    expect(await normalizePart(inputsFrom([['{"broken']]), part, 0, 1, { onReject })).toMatchObject({
      snapshots: 0,
      rejected: 1,
      bytes: 0,
    });
    expect(readdirSync(join(folder, 'run'))).toEqual([]);
    await normalizePart(inputsFrom([['{"broken']]), part, 1, 2, { onReject });
    expect(linesOf(part)).toMatchObject([{ part: 1, files: 1, snapshots: 0, rejected: 1 }]);
    expect(rejects).toHaveLength(2);
  });

  it('refuses parts of an earlier run if one is missing, and a whole file of a rejects file in one of several parts', async () => {
    const early = join(folder, 'early');
    for (const number of [0, 1]) await normalizePart(inputsFrom([[seen(1)], [seen(2)]]), join(early, `${number}.ndjson`), number, 2);
    expect(await normalizePart(inputsOf([early], nothing()), part, 0, 1)).toMatchObject({ snapshots: 2, profiles: 1 });
    await expect(normalizePart(inputsOf([join(early, '1.ndjson')], nothing()), part, 0, 1)).rejects.toMatchObject({ code: 'no-part' });
    const line = { code: 'bad-source', file: 'x.ndjson', expected: '', found: '' };
    const snapshots = {
      from: undefined,
      observedAt: undefined,
      unescape: false,
      openAgain: () => inputsFrom([[seen(5)]])[0] ?? expect.unreachable(),
    };
    await expect(normalizePart(inputsFrom([[line]]), part, 0, 2, { snapshots })).resolves.toMatchObject({ snapshots: 0 });
    await expect(normalizePart(inputsFrom([[line]]), part, 1, 2, { snapshots })).rejects.toMatchObject({ code: 'usage' });
    expect(await normalizePart(inputsFrom([[line]]), part, 0, 1, { snapshots })).toMatchObject({ snapshots: 1 });
  });
});
