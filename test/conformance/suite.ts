import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Host } from '../../src/rewrite/hosts/host.ts';
import { removeFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { askAll, type Probe, type Trial } from './probe.ts';
import { CORE, NEVER, OF_FILES, PROBES } from './probes/all.ts';
import { traversal, walk } from './probes/core.ts';
import { anyQuery, queries } from './probes/queries.ts';
import { PublishedSite } from './published-site.ts';
import { QUERIES } from './queries.ts';
import type { Outcome } from './results.ts';
import { type Linted, nameOf, type Published, type Subject } from './subject.ts';

/** What depends on the path of the base URL. */
const OF_PATHS = ['encoded-path', 'exact-path', 'unknown-path', 'redirect', 'missing-page', 'methods'];

/**
 * The trees that hosts serve: at a path with special characters of regular expressions, and at the root of a host. The last
 * two have only the probes of the rules that differ there. Hosts with the rewrite function serve the last only in a full run.
 */
const TREES = [
  { base: '/api/v1.0', browse: true, only: undefined },
  { base: '', browse: false, only: OF_PATHS },
  { base: '', browse: true, only: ['browse'] },
] as const;

/** The hosts that answer for a browse file that does not exist without the page of the site. */
const NO_PAGE: readonly string[] = ['caddy', 'cloudfront-functions', 'fastly', 'haproxy', 'lambda-edge', 'lighttpd', 'varnish'];

export function newOutcome(subject: Subject | Linted, host = subject.host): Outcome {
  const { needs, release } = subject;
  const name = 'publish' in subject ? nameOf(subject) : host === subject.host ? host.name : `${host.name} --versions`;
  return { name, host, release: needs.skip ? '' : release(), score: undefined, has: new Set<string>(), lacks: new Set<string>() };
}

/**
 * Checks a host against its declaration: each capability must be present, and each missing one absent.
 * @param hasOwnRules whether the host has rules of its own in place of the rewrite function
 * @returns the results, which the tests fill
 */
export function conforms(subject: Subject, hasOwnRules: boolean): Outcome {
  const { host, needs } = subject;
  const outcome = newOutcome(subject);
  describe.skipIf(needs.skip)(`${outcome.name} (${needs.reason || subject.release()})`, () => {
    const trees = TREES.filter(({ only }) => isFull || hasOwnRules || !only?.some((name) => name === 'browse'));
    describe.each(trees)('with the base path $base and browse files: $browse', ({ base, browse, only: few }) => {
      // the two trees of a bucket are published in two forms
      const only: readonly string[] | undefined = subject.publish === undefined || browse ? few : undefined;
      const folder = mkdtempSync(join(tmpdir(), `palimpsest-${host.name}-`));
      let published: Published | undefined;
      let trial: Trial;

      beforeAll(async () => {
        const site = (await siteAt(base, browse)).copy(join(folder, 'site'));
        const files = join(folder, 'files');
        published = await subject.publish?.({ tree: site.tree, base });
        const origin = published === undefined ? [] : ['--origin', published.url];
        await palimpsestJson(['rewrite', host.name, '--out', site.tree, '--to', files, ...origin]);
        const work = join(folder, 'work');
        mkdirSync(work);
        const servesBrowse = browse && !Object.hasOwn(host.untested ?? {}, 'browse');
        const sendsNotFoundPage = servesBrowse && subject.publish === undefined && !NO_PAGE.includes(host.name);
        const running = await subject.start({ files, work, tree: site.tree, base });
        trial = { ...published, ...running, site, servesBrowse, sendsNotFoundPage };
      });
      afterAll(async () => {
        await trial?.stop();
        await published?.stop();
        await removeFolder(folder);
      });

      test.skipIf(only !== undefined).each(Object.entries(NEVER))('%s: is missing, as on every host', async (_, probe) => {
        expect(await probe(trial), 'it can do what is said of no host').not.toEqual([]);
      });

      const core = only === undefined ? CORE : { 'the core queries': queries('core'), walk, traversal };
      const probes = Object.entries({ ...PROBES, ...OF_FILES }).filter(([name]) => only?.includes(name) ?? (browse || name !== 'browse'));
      isAsDeclared(host, outcome, () => trial, core, Object.fromEntries(probes), only === undefined);
    });
  });
  return outcome;
}

/**
 * Checks a running host: the probes that every host must pass, and each capability as the host declares it.
 * @param isWhole whether all queries are counted, and random ones tried
 */
export function isAsDeclared<T extends Trial>(
  host: Host,
  outcome: Outcome,
  trial: () => T,
  core: { readonly [name: string]: (trial: T) => ReturnType<Probe> },
  probes: typeof core,
  isWhole = true,
): void {
  const always = isWhole ? { ...core, 'any query': anyQuery(host) } : core;
  test.each(Object.entries(always))('%s', async (_, probe) => expect(await probe(trial())).toEqual([]));

  test.runIf(isWhole)('answers the expected number of queries correctly', async () => {
    outcome.score = await score(trial());
    const expected = QUERIES.filter(({ asks }) => asks === 'core' || !Object.hasOwn(host.cannot, asks));
    expect(outcome.score).toBeGreaterThanOrEqual(expected.length);
  });

  const tried = Object.entries(probes).filter(([name]) => !Object.hasOwn(host.untested ?? {}, name));
  test.each(tried.map(([name, probe]) => [name, Object.hasOwn(host.cannot, name) ? 'lacks' : 'has', probe] as const))(
    '%s: %s it',
    async (name, declared, probe) => {
      const found = await probe(trial());
      if (declared === 'has') expect(found).toEqual([]);
      else expect(found, 'it can do what it says it cannot').not.toEqual([]);
      outcome[declared].add(name);
    },
  );
}

/** Returns the number of queries that are answered as by DRF. */
async function score({ ask, site }: Trial): Promise<number> {
  let right = 0;
  const answers = await askAll(
    ask,
    QUERIES.map(({ query }) => site.path('data') + query),
  );
  for (const [index, { status, body }] of answers.entries()) {
    const shows = QUERIES[index]?.shows ?? 404;
    if (shows === 404 ? status === 404 : status === 200 && body.equals(site.page('data', shows))) right += 1;
  }
  return right;
}

/** Checks a host's files with the vendor's tool, which must also detect an inserted error. */
export function passes(linted: Linted): Outcome {
  const { host, needs, release, complaints } = linted;
  const outcome = newOutcome(linted);
  describe.skipIf(needs.skip)(`${host.name} (${needs.reason || release()})`, () => {
    test.each(TREES)('has valid files with the base path $base and browse files: $browse', async ({ base, browse }) => {
      const folder = mkdtempSync(join(tmpdir(), `palimpsest-${host.name}-`));
      const files = join(folder, 'files');
      await palimpsestJson(['rewrite', host.name, '--out', (await siteAt(base, browse)).tree, '--to', files]);
      expect(complaints(files)).toEqual([]);
      for (const name of readdirSync(files)) {
        const text = readFileSync(join(files, name), 'utf8');
        writeFileSync(join(files, name), text.replace(/^ {2}set [^;]*;$/m, '  set no.such.variable = 1;'));
      }
      expect(complaints(files)).not.toEqual([]);
      rmSync(folder, { recursive: true, force: true });
    });

    test('declares every capability as untested', () => {
      expect(Object.keys(host.untested ?? {}).toSorted()).toEqual(Object.keys({ ...PROBES, ...OF_FILES }).toSorted());
    });
  });
  return outcome;
}

const sites = new Map<string, Promise<PublishedSite>>();
const home = mkdtempSync(join(tmpdir(), 'palimpsest-sites-'));

/** Returns the site at a base path, which is built once and copied for each host. */
export function siteAt(base: string, browse: boolean): Promise<PublishedSite> {
  const known = sites.get(`${base} ${browse}`) ?? PublishedSite.build(join(home, String(sites.size)), base, browse);
  sites.set(`${base} ${browse}`, known);
  return known;
}

// test files of one process share the sites
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
