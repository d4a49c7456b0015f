import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withVersions } from '../../src/hosting/find-host.ts';
import { removeFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { publishVersion } from '../support/versions.ts';
import { CORE, PROBES } from './probes/all.ts';
import { asOf, damagedFiles, unreadable, type VersionedTrial } from './probes/versions.ts';
import type { Outcome } from './results.ts';
import type { Subject } from './subject.ts';
import { isAsDeclared, newOutcome, siteAt } from './suite.ts';

const BASE = '/api/v1.0';

/** Checks a host that reads versions against its declaration for them. Each page must have the bytes of the pages as files. */
export async function conformsWithVersions(subject: Subject): Promise<Outcome> {
  const host = await withVersions(subject.host);
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
      await palimpsestJson(['rewrite', host.name, '--out', target, '--to', files]);
      const start = subject.startWithVersions ?? subject.start;
      const running = await start({ files, work, tree: target, base: BASE });
      const copy = async () => running.deploy?.();
      const deploy = async () => {
        publishVersion(site.tree, target);
        await copy();
      };
      const sendsNotFoundPage = !Object.hasOwn(host.cannot, 'unknown-path');
      trial = { ...running, sendsNotFoundPage, site, first, target, deploy, copy };
    });
    afterAll(async () => {
      await trial?.stop();
      await removeFolder(folder);
    });

    test('earlier versions', async () => expect(await asOf(trial)).toEqual([]));
    isAsDeclared<VersionedTrial>(host, outcome, () => trial, CORE, { ...PROBES, 'damaged-files': damagedFiles });
    test('files that cannot be read', async () => expect(await unreadable(trial)).toEqual([]));
  });
  return outcome;
}
