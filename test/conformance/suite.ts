import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capability, Host, NO_HOST_CAN } from '../../src/rewrite/hosts/host.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { askAll, type Probe, type Trial } from './probe.ts';
import {
  controlCharacters,
  encodedPath,
  errorHeaders,
  exactPath,
  head,
  headers,
  methods,
  methodsBody,
  missingPage,
  options,
  optionsBody,
  rareMethods,
  redirect,
  redirectEncoding,
  singleHeaders,
  unknownMethods,
  unknownPath,
} from './probes/answers.ts';
import { browse, onlyJson } from './probes/browse.ts';
import { brotli, contentEtag, etagList, gzip, revalidation } from './probes/bytes.ts';
import { linkParameters, range, spellings, traversal, unpacked, walk } from './probes/core.ts';
import { anyQuery, queries } from './probes/queries.ts';
import { incompleteTree, missingTree, unreadableFiles } from './probes/trees.ts';
import { PublishedSite } from './published-site.ts';
import { QUERIES } from './queries.ts';
import type { Outcome } from './results.ts';
import { type Linted, nameOf, type Published, type Subject } from './subject.ts';

/** The probes that every host must pass. */
export const CORE: { readonly [name: string]: Probe } = {
  'the core queries': queries('core'),
  'a walk by next': walk,
  spellings,
  traversal,
  'JSON for browsers': onlyJson,
  'pages that are not there compressed': unpacked,
};

/** The probes of pages as files, after the others: they damage the tree. */
const OF_FILES = {
  'unreadable-files': unreadableFiles,
  'incomplete-tree': incompleteTree,
  'missing-tree': missingTree,
} as const;

/** The probes, those that change the tree last. */
export const PROBES: { readonly [C in Exclude<Capability, 'damaged-files' | keyof typeof OF_FILES>]: Probe } = {
  'empty-value': queries('empty-value'),
  'letter-case': queries('letter-case'),
  'last-repeat': queries('last-repeat'),
  integers: queries('integers'),
  'percent-decoding': queries('percent-decoding'),
  'other-digits': queries('other-digits'),
  'control-characters': controlCharacters,
  'leading-zeros': queries('leading-zeros'),
  'digit-limit': queries('digit-limit'),
  'encoded-path': encodedPath,
  'exact-path': exactPath,
  head,
  headers,
  'error-headers': errorHeaders,
  'single-headers': singleHeaders,
  'missing-page': missingPage,
  'unknown-path': unknownPath,
  redirect,
  'redirect-encoding': redirectEncoding,
  options,
  'options-body': optionsBody,
  methods,
  'methods-body': methodsBody,
  'rare-methods': rareMethods,
  'unknown-methods': unknownMethods,
  range,
  gzip,
  brotli,
  browse,
  'etag-list': etagList,
  revalidation,
  'content-etag': contentEtag,
};

/** The probes for capabilities that no host can have. */
const NEVER: { readonly [N in keyof typeof NO_HOST_CAN]: Probe } = { 'link-parameters': linkParameters };

/** What depends on the path of the base URL. */
const OF_PATHS = ['encoded-path', 'exact-path', 'unknown-path', 'redirect', 'missing-page', 'methods'];

/**
 * The trees that every host serves: at a path with special characters of regular expressions, and at the root of a host. The
 * last two have only the probes of the rules that differ there.
 */
const TREES = [
  { base: '/api/v1.0', browse: true, only: undefined },
  { base: '', browse: false, only: OF_PATHS },
  { base: '', browse: true, only: ['browse'] },
] as const;

export function newOutcome(subject: Subject | Linted, host = subject.host): Outcome {
  const { needs, release } = subject;
  const name = 'publish' in subject ? nameOf(subject) : host === subject.host ? host.name : `${host.name} --versions`;
  return { name, host, release: needs.skip ? '' : release(), score: undefined, has: new Set<string>(), lacks: new Set<string>() };
}

/** Checks a host against its declaration: each capability must be present, and each missing one absent. Returns the results, which the tests fill. */
export function conforms(subject: Subject): Outcome {
  const { host, needs } = subject;
  const outcome = newOutcome(subject);
  describe.skipIf(needs.skip)(`${outcome.name} (${needs.reason || subject.release()})`, () => {
    describe.each(TREES)('with the base path $base and browse files: $browse', ({ base, browse, only: few }) => {
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
        await palimpsestJson(['rewrite', host.name, '--out', site.tree, '--host-files', files, ...origin]);
        const work = join(folder, 'work');
        mkdirSync(work);
        const servesBrowse = browse && !Object.hasOwn(host.untested ?? {}, 'browse');
        trial = { ...published, ...(await subject.start({ files, work, tree: site.tree, base })), site, servesBrowse };
      });
      afterAll(async () => {
        await trial?.stop();
        await published?.stop();
        // the browser's last processes may still write files
        rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
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
      await palimpsestJson(['rewrite', host.name, '--out', (await siteAt(base, browse)).tree, '--host-files', files]);
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
