import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { killAtSteps } from '../whole/steps.ts';
import { sources } from './sources.ts';

const KILLS = timesInProcess('kills of normalize', 3, 30);

it('normalize leaves a complete file or none after a kill at any step', async () => {
  const folder = temporaryFolder();
  const source = sources(temporaryFolder());
  const command = (run: string) => ['normalize', source, '--to', join(folder, run, 'part.ndjson.gz')];
  await palimpsestJson(command('whole'));
  const whole = filesIn(join(folder, 'whole'));
  const killed = join(folder, 'killed');
  const reset = () => rmSync(killed, { recursive: true, force: true });
  await killAtSteps(folder, command('killed'), KILLS, reset, async (step) => {
    const left = existsSync(killed) ? filesIn(killed) : new Map<string, Buffer>();
    for (const [name, bytes] of left) if (!name.startsWith('.')) expect(whole.get(name)?.equals(bytes), step).toBe(true);
    await palimpsestJson(command('killed'));
    expect(filesIn(killed), step).toEqual(whole);
  });
});
