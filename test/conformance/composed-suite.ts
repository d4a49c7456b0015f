import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forLayout } from '../../src/hosting/host-layout.ts';
import type { Host } from '../../src/rewrite/hosts/host.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import type { Probe, Trial } from './probe.ts';
import { asOf } from './probes/as-of.ts';
import { walk } from './probes/core.ts';
import { anyQuery } from './probes/queries.ts';
import { withoutHead } from './probes/without-head.ts';
import { PublishedSite } from './published-site.ts';
import type { Subject } from './subject.ts';
import { CORE, PROBES } from './suite.ts';
import type { Outcome } from './table.ts';

/** Whether every probe runs. By default only those run that depend on the layout. */
const IS_WHOLE = process.env['PALIMPSEST_TEST_COMPOSED_HOSTS'] === 'all';

/** The probes that depend on the layout. */
const OF_LAYOUT = ['headers', 'error-headers', 'missing-page', 'head', 'etag-list', 'revalidation'];

/** The probes that need files of the static layout. */
const OF_FILES = ['gzip', 'brotli', 'browse', 'html', 'content-etag'];

const BASE = '/api/v1.0';

/** Checks a host with the composed layout against its declaration. Each page must have the bytes of the static layout. */
export function composes({ host, needs, release, ...subject }: Subject, outcome: Outcome): void {
  const { composed } = host;
  if (composed === undefined) {
    refusesComposed(host, outcome);
    return;
  }
  describe.skipIf(needs.skip)(`${host.name} with the composed layout (${needs.reason || release()})`, () => {
    const folder = mkdtempSync(join(tmpdir(), `palimpsest-${host.name}-`));
    let trial: Trial;

    beforeAll(async () => {
      const site = (await theSite()).copy(join(folder, 'site'));
      const [files, work] = [join(folder, 'files'), join(folder, 'work')];
      await palimpsestJson(['rewrite', host.name, '--layout', 'composed', '--out', site.tree, '--host-files', files]);
      mkdirSync(work);
      const start = subject.startComposed ?? subject.start;
      trial = { ...(await start({ files, work, tree: site.tree, base: BASE })), site };
    });
    afterAll(async () => {
      await trial?.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });

    const { 'pages that are not there compressed': _, ...core } = CORE;
    const always: { readonly [name: string]: Probe } = IS_WHOLE
      ? { ...core, 'any query': anyQuery({ ...host, cannot: composed.cannot }) }
      : { 'a walk by next': walk };
    test.each(Object.entries({ ...always, as_of: asOf, 'no head.json': withoutHead }))('%s', async (name, probe) => {
      expect(await probe(trial)).toEqual([]);
      if (name === 'as_of') outcome.has.add('composed');
    });

    const probed = Object.entries(PROBES).filter(
      ([name]) => !Object.hasOwn(composed.untested ?? {}, name) && !OF_FILES.includes(name) && (IS_WHOLE || OF_LAYOUT.includes(name)),
    );
    test.each(probed.map(([name, probe]) => [name, Object.hasOwn(composed.cannot, name) ? 'lacks' : 'has', probe] as const))(
      '%s: %s it',
      async (_, declared, probe) => {
        const found = await probe(trial);
        if (declared === 'has') expect(found).toEqual([]);
        else expect(found, 'it can do what it says it cannot').not.toEqual([]);
      },
    );
  });
}

/** Checks that a host without the composed layout is refused, with its reason. */
export function refusesComposed(host: Host, outcome: Outcome): void {
  test(`${outcome.name} is refused for the composed layout`, () => {
    const reason = host.cannot.composed ?? '';
    expect(reason).not.toBe('');
    expect(() => forLayout(host, 'composed')).toThrow(expect.objectContaining({ found: reason }));
    outcome.lacks.add('composed');
  });
}

let site: Promise<PublishedSite> | undefined;
const home = mkdtempSync(join(tmpdir(), 'palimpsest-composed-sites-'));

/** Returns the site, which is built once and copied for each host. */
function theSite(): Promise<PublishedSite> {
  site ??= PublishedSite.buildComposed(join(home, 'site'), BASE);
  return site;
}

afterAll(() => rmSync(home, { recursive: true, force: true }));
