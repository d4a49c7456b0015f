import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsest } from '../support/palimpsest.ts';
import { cases } from '../support/proof.ts';
import { sources } from './sources.ts';

it('normalize leaves a complete file or none after a kill at any time', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  const source = sources(temporaryFolder(), 3000);
  const command = (run: string) => ['normalize', source, '--to', join(folder, run, 'part.ndjson.gz')];
  const started = performance.now();
  expect(await palimpsest(command('whole'))).toMatchObject({ code: 0 });
  const duration = performance.now() - started;
  const whole = filesIn(join(folder, 'whole'));
  for (const share of cases([0.6, 0.8, 0.95])) {
    await palimpsest(command('killed'), { onStart: (task) => void setTimeout(() => task.kill('SIGKILL'), share * duration) });
    const left = existsSync(join(folder, 'killed')) ? filesIn(join(folder, 'killed')) : new Map<string, Buffer>();
    for (const [name, bytes] of left) if (!name.startsWith('.')) expect(whole.get(name)?.equals(bytes), name).toBe(true);
  }
  expect(await palimpsest(command('killed'))).toMatchObject({ code: 0 });
  expect(filesIn(join(folder, 'killed'))).toEqual(whole);
});
