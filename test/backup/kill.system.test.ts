import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { killAtSteps } from '../whole/steps.ts';
import { contentsOf, folderOfFile, importLines, recordLines } from '../whole/stores.ts';

/** How often each pull is killed. test/versions/simulated.test.ts kills runs of the protocol of a push at every request. */
const KILLS = timesInProcess('killed pulls', 4, 50);
const RECORDS = 1_000;

const folder = folderOfFile();
/** A store before and after a night. */
const [before, after] = [join(folder, 'before.db'), join(folder, 'after.db')];
const target = join(folder, 'target');
beforeAll(async () => {
  const lines = await recordLines(RECORDS, RECORDS / 20);
  await importLines(before, lines.slice(0, RECORDS / 2));
  copyFileSync(before, after);
  await importLines(after, lines);
  await palimpsestJson(['store', 'push', target, '--store', after]);
});

it('a killed pull over an older store fetches it completely or not at all, and the next pull leaves no temporary files', async () => {
  const place = join(folder, 'place');
  const local = join(place, 'local.db');
  const reset = () => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    copyFileSync(before, local);
  };
  const pull = ['store', 'pull', target, '--store', local];
  const [old, fresh] = [contentsOf(before), contentsOf(after)];
  await killAtSteps(folder, pull, KILLS, reset, async (step) => {
    expect([old, fresh], step).toContain(contentsOf(local));
    await palimpsestJson(pull);
    expect(contentsOf(local), step).toBe(fresh);
    expect(readdirSync(place), step).toEqual(['local.db']);
  });
});
