import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { chance } from './chance.ts';
import { runAndKill } from './killing.ts';

/** The number of killed runs of each command. */
const KILLS = timesInProcess('kills of each command', 4, 40);
const LINES = 4000;

const record = (id: number) => ({
  id,
  account: 'jack',
  data_type: 'Bio',
  previous: null,
  text: id % 2 === 0 ? 'hello' : 5,
  first_encountered_date: '2023-11-18T16:29:12Z',
  diff_html: '',
  web_archive_url: null,
});
const snapshot = (index: number) => ({
  observed_at: new Date(Date.UTC(2020, 0, 1) + index * 1000).toISOString(),
  screen_name: 'jack',
  bio: index % 2 === 0 ? `bio ${index}` : 5,
});

describe('a run with --rejects', () => {
  const commands: readonly (readonly [string, (index: number) => object])[] = [
    ['import', record],
    ['observe', snapshot],
  ];

  it.each(commands)(
    'of %s that is killed leaves no other file, and a repeated run writes every reject once',
    async (command, make) => {
      const random = chance(7);
      const folder = temporaryFolder();
      const source = join(folder, 'source.ndjson');
      writeFileSync(source, Array.from({ length: LINES }, (_, index) => `${JSON.stringify(make(index))}\n`).join(''));
      const [beside, rejects, store] = [
        join(folder, 'beside'),
        join(folder, 'beside', 'rejects.ndjson'),
        join(folder, 'store', 'store.db'),
      ];
      const args = [command, source, '--store', store, '--rejects', rejects];
      mkdirSync(beside);
      const started = performance.now();
      await palimpsestJson(args, { ownProcess: true });
      const took = performance.now() - started;
      const expected = join(folder, 'expected');
      copyFileSync(rejects, expected);
      expect(readFileSync(expected, 'utf8').split('\n')).toHaveLength(LINES / 2 + 1);

      for (let kill = 0; kill < KILLS; kill += 1) {
        rmSync(rejects, { force: true });
        rmSync(join(folder, 'store'), { recursive: true });
        const signal = kill % 2 === 0 ? 'SIGKILL' : 'SIGINT';
        if (signal === 'SIGKILL') {
          // half of these kills aim at the commit: there the rejects file and the store could get out of step
          const sign = kill % 4 === 0 ? { sign: () => existsSync(rejects) } : {};
          await runAndKill(args, { ...sign, delay: random() * took * (kill % 4 === 0 ? 0.1 : 1) });
        } else {
          await palimpsest(args, { onStart: (child) => void setTimeout(() => child.kill('SIGINT'), random() * took) });
        }
        expect(readdirSync(beside).filter((name) => name !== 'rejects.ndjson')).toEqual([]);
        await palimpsestJson(args);
        await palimpsestJson(args);
        expect(readFileSync(rejects).equals(readFileSync(expected))).toBe(true);
      }
    },
    240_000,
  );

  it('that fails leaves the rejects file unchanged', async () => {
    const folder = temporaryFolder();
    const rejects = join(folder, 'rejects.ndjson');
    writeFileSync(rejects, 'before\n');
    const args = ['import', '-', '--store', join(folder, 'store.db'), '--rejects', rejects, '--require-complete'];
    expect(await palimpsest(args, { input: `${JSON.stringify(record(1))}\n` })).toMatchObject({ code: 1 });
    expect(readFileSync(rejects, 'utf8')).toBe('before\n');
  });
});
