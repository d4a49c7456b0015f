import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { killAtSteps } from './steps.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

const KILLS = timesInProcess('kills of each command with a rejects file', 4, 40);
const LINES = 100;

const record = (index: number) => bioRecord(index, { text: index % 2 === 0 ? 'hello' : 5 });
const snapshot = (index: number) => ({
  observed_at: new Date(Date.UTC(2020, 0, 1) + index * 1000).toISOString(),
  screen_name: 'jack',
  bio: index % 2 === 0 ? `bio ${index}` : 5,
});

describe('a run with --rejects', () => {
  it.each<[string, (index: number) => object]>([
    ['import', record],
    ['observe', snapshot],
  ])('of %s that is killed leaves no other file, and a repeated run writes every reject once', async (command, make) => {
    const folder = temporaryFolder();
    const [source, beside, expected] = [join(folder, 'source.ndjson'), join(folder, 'beside'), join(folder, 'expected')];
    const rejects = join(beside, 'rejects.ndjson');
    writeFileSync(source, Array.from({ length: LINES }, (_, index) => `${JSON.stringify(make(index))}\n`).join(''));
    mkdirSync(beside);
    const args = [command, source, '--store', join(folder, 'store', 'store.db'), '--rejects', rejects];
    await palimpsestJson(args);
    copyFileSync(rejects, expected);
    expect(readFileSync(expected, 'utf8').split('\n')).toHaveLength(LINES / 2 + 1);
    const reset = () => {
      rmSync(rejects, { force: true });
      rmSync(join(folder, 'store'), { recursive: true, force: true });
    };
    await killAtSteps(folder, args, KILLS, reset, async (step) => {
      expect(
        readdirSync(beside).filter((name) => name !== 'rejects.ndjson'),
        step,
      ).toEqual([]);
      await palimpsestJson(args);
      await palimpsestJson(args);
      expect(readFileSync(rejects).equals(readFileSync(expected)), step).toBe(true);
    });
  });
});
