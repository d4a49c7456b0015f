import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withVersions } from '../../src/hosting/versions.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { publishVersion } from '../support/versions.ts';
import { anyQuery } from './probes/queries.ts';
import { asOf, damagedFiles, everyFile, unreadable, type VersionedTrial } from './probes/versions.ts';
import { QUERIES } from './queries.ts';
import type { Subject } from './subject.ts';
import { CORE, newOutcome, PROBES, score, siteAt } from './suite.ts';

const BASE = '/api/v1.0';

/** Checks a host against its declaration for sites with versions, if it reads them. Each page must have the bytes of the pages as files. */
export function conformsWithVersions(subject: Subject): void {
  if (typeof subject.host.versions !== 'object') return;
  const host = withVersions(subject.host);
  const outcome = newOutcome(subject, host);
  describe.skipIf(subject.needs.skip)(`${outcome.name} (${subject.needs.reason || subject.release()})`, () => {
    const folder = mkdtempSync(join(tmpdir(), `palimpsest-${host.name}-`));
    let trial: VersionedTrial;

    beforeAll(async () => {
      const [first, site] = [(await siteAt(BASE, true)).copy(join(folder, 'first')), (await siteAt(BASE, true)).copy(join(folder, 'site'))];
      for (const path of ['rest/data/index.json', 'rest/data/page/1/index.json']) first.edit(path);
      const [files, work, target] = [join(folder, 'files'), join(folder, 'work'), join(folder, 'target')];
      mkdirSync(work);
      publishVersion(first.tree, target, new Date('2020-01-01T00:00:00Z'));
      publishVersion(site.tree, target, new Date('2020-01-03T00:00:00Z'));
      // the folder has versions, so no option is needed
      await palimpsestJson(['rewrite', host.name, '--out', target, '--host-files', files]);
      const start = subject.startWithVersions ?? subject.start;
      const running = await start({ files, work, tree: target, base: BASE });
      const copy = async () => running.deploy?.();
      const deploy = async () => {
        publishVersion(site.tree, target);
        await copy();
      };
      trial = { ...running, site, first, target, deploy, copy };
    });
    afterAll(async () => {
      await trial?.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });

    const core = { ...CORE, 'any query': anyQuery(host) };
    test.each(Object.entries(core))('%s', async (_, probe) => expect(await probe(trial)).toEqual([]));
    test('earlier versions', async () => expect(await asOf(trial)).toEqual([]));
    test.runIf(isFull)('every file, with and without gzip', async () => expect(await everyFile(trial)).toEqual([]));

    test('answers the expected number of queries correctly', async () => {
      outcome.score = await score(trial);
      expect(outcome.score).toBeGreaterThanOrEqual(
        QUERIES.filter(({ asks }) => asks === 'core' || !Object.hasOwn(host.cannot, asks)).length,
      );
    });

    const tried = Object.entries({ ...PROBES, 'damaged-files': () => damagedFiles(trial) }).filter(
      ([name]) => !Object.hasOwn(host.untested ?? {}, name),
    );
    test.each(tried.map(([name, probe]) => [name, Object.hasOwn(host.cannot, name) ? 'lacks' : 'has', probe] as const))(
      '%s: %s it',
      async (name, declared, probe) => {
        const found = await probe(trial);
        if (declared === 'has') expect(found).toEqual([]);
        else expect(found, 'it can do what it says it cannot').not.toEqual([]);
        outcome[declared].add(name);
      },
    );
    test('files that cannot be read', async () => expect(await unreadable(trial)).toEqual([]));
  });
}
