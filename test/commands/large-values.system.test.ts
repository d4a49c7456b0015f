import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { emptyAccount, bioRecord as record } from '../support/bio-record.ts';
import { temporaryFolder, valuesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { isFull, isOne } from '../support/proof.ts';

const START = Date.UTC(2022, 0, 1);
const snapshot = (second: number, screen_name: string, bio: string) => ({
  observed_at: new Date(START + second * 1000).toISOString(),
  screen_name,
  bio,
});

async function written(values: Iterable<object>): Promise<string> {
  const path = join(temporaryFolder(), 'source.ndjson');
  const lines = function* () {
    for (const value of values) yield `${JSON.stringify(value)}\n`;
  };
  await pipeline(lines(), createWriteStream(path));
  return path;
}

const rejecting = (path: string) => ['--store', `${path}.db`, '--rejects', `${path}.rejects`, '--max-rejected', '100%'];
/** The heap of the command, which shows how much memory a large value takes. `npm test` has small ones. */
const heap = (megabytes: number) => (isOne ? {} : { env: { NODE_OPTIONS: `--max-old-space-size=${megabytes}` } });

it('observe rejects one bio of 60 million bytes, and adds the rest', async () => {
  const length = isOne ? 1_000_000 : 30_000_000;
  const path = await written([snapshot(0, 'ann', 'a'), snapshot(1, 'big', '"'.repeat(length)), snapshot(2, 'bob', 'b')]);
  const { code, stderr } = await palimpsestHere(['observe', path, '--store', `${path}.db`], heap(300));
  expect([code, stderr.split('\n').slice(0, 4)]).toEqual([
    1,
    [
      `error: ${path} contains an item that cannot be used (bad-field)`,
      `  where     ${path}, line 2, bio`,
      '  expected  at most 10000 characters',
      `  found     ${length}`,
    ],
  ]);
  expect(await palimpsestJson(['observe', path, ...rejecting(path)], heap(400))).toMatchObject({
    rejected: 1,
    records_by_field: { Bio: 2 },
  });
});

it('observe rejects all bios of a megabyte of one account, and adds the rest', async () => {
  const count = isFull ? 1000 : 50;
  const length = isOne ? 20_000 : 1_000_000;
  const values = function* () {
    for (let second = 0; second < count; second += 1) yield snapshot(second, 'big', `${second} `.padEnd(length, 'x'));
    yield snapshot(count, 'big', 'small');
  };
  const path = await written(values());
  const observed = await palimpsestJson(['observe', path, ...rejecting(path)], heap(100));
  expect(observed).toMatchObject({ rejected: count, records_by_field: { Bio: 1 }, accounts_by_outcome: { added: 1 } });
});

it.skipIf(isOne)('an account needs less heap than the size of its values, in a dry run of observe', async () => {
  const values = function* () {
    for (let second = 0; second < 9000; second += 1) {
      const { bio: location, ...rest } = snapshot(second, 'ann', `${second} `.padEnd(10_000, 'Leeds '));
      yield { ...rest, location };
    }
  };
  const path = await written(values());
  // a dry run, because a commit needs memory for all records of an account
  const observed = await palimpsestJson(['observe', path, '--store', `${path}.db`, '--dry-run'], heap(85));
  expect(observed).toMatchObject({ records_by_field: { Location: 9000 } });
});

it('import rejects each item with a text that is too long, and imports the rest', async () => {
  const [most, mostMarkup] = ['x'.repeat(10_000), 'x'.repeat(100_000)];
  const state = {
    ...{ screen_name: 'old', stable_id: null, observed_to: null, observed_fields: [], account_creation_date: null },
    ...{ profile_image_url: '', profile_record: null },
  };
  const profile = { display_name: '', website: null, location: '', bio: '' };
  const path = await written([
    record(1, { text: most, diff_html: mostMarkup }),
    record(2, { text: `${most}x` }),
    record(3, { diff_html: `${mostMarkup}x` }),
    record(4, { account: `${most}x` }),
    emptyAccount('jack', { bio: `${most}x` }),
    emptyAccount('jack', { bio: most, data: [record(5), record(6, { text: `${most}x` })], data_page_count: 1 }),
    { count: 2, next: null, previous: null, results: [record(7), record(8, { text: `${most}x` })] },
    { ...state, former_handles: [], profile: { ...profile, location: `${most}x` } },
    { ...state, former_handles: [{ handle: `${most}x`, seen_to: '2020-01-01T00:00:00.000000Z' }], profile },
  ]);
  const imported = await palimpsestJson(['import', path, ...rejecting(path)]);
  expect(imported).toMatchObject({ rejected: 8, records_by_outcome: { added: 3 } });
  const fields = valuesIn(`${path}.rejects`).map(({ line, field, found }) => [line, field, found]);
  expect(fields).toEqual([
    [2, 'text', '10001'],
    [3, 'diff_html', '100001'],
    [4, 'account', '10001'],
    [5, 'bio', '10001'],
    [6, 'data[1].text', '10001'],
    [7, 'results[1].text', '10001'],
    [8, 'profile.location', '10001'],
    [9, 'former_handles[0].handle', '10001'],
  ]);
});
