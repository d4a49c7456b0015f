import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

const START = Date.UTC(2022, 0, 1);

it('an account needs less heap than the size of its values, in a dry run of observe and in normalize', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'changes.ndjson');
  const lines = Array.from({ length: 6000 }, (_, index) =>
    JSON.stringify({
      observed_at: new Date(START + index * 1000).toISOString(),
      screen_name: 'ann',
      location: `${index} `.padEnd(10_000, 'Leeds '),
    }),
  );
  writeFileSync(file, lines.join('\n'));
  const memory = { env: { NODE_OPTIONS: '--max-old-space-size=60' } };
  // a dry run, because a commit needs memory for all records of an account
  const observed = await palimpsestJson(['observe', file, '--store', join(folder, 'a.db'), '--dry-run'], memory);
  expect(observed).toMatchObject({ records: { Location: 6000 } });
  const normalized = await palimpsestJson(['normalize', file, '--to', join(folder, 'changes.ndjson.gz')], memory);
  expect(normalized).toMatchObject({ profiles: 6000 });
});
