import { hash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra/esm';
import type { OnProgress } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { encodeJson } from '../contract/json.ts';
import { forEachLimit } from '../storage/concurrency-limit.ts';
import type { Remote, RemoteOptions } from '../storage/remote.ts';
import type { VerifyPhase } from '../verify/cross-span-check.ts';
import { type VerifyOptions, type VerifySummary, verify } from '../verify/verify.ts';
import { Report, type Violation } from '../verify/violation.ts';
import { type Commit, commitNumbers, commitPath, HEAD } from './commit-format.ts';
import { fetchVersion } from './fetch-version.ts';
import { known, readNewest } from './newest-commit.ts';
import { leftoversIn } from './prune.ts';
import { openLocalZip, SITE_KIND, type SiteVersion } from './site-version.ts';

/** The phases of a check: `commits` and `versions` count those that were read, and the others are those of a tree. */
export type CheckSitePhase = VerifyPhase | 'commits' | 'versions';

export interface CheckSiteOptions extends Pick<RemoteOptions, 'concurrency'>, Pick<VerifyOptions, 'store' | 'threads' | 'signal'> {
  /** Whether to check the tree in each version, and not only in the current one. */
  readonly all: boolean;
  readonly onProgress?: OnProgress<CheckSitePhase> | undefined;
}

/** What a check found. The build record and the counts are those of the current version. */
export interface SiteCheck extends VerifySummary {
  /** The number of the current version. */
  readonly number: number;
  readonly versions: number;
  readonly commits: number;
}

/**
 * Checks the versions of a site at a target: the chain of commits, the head, the data of each live version, and the tree in the
 * current one. Violations are reported, not thrown.
 * @returns undefined if the target has no versions
 * @throws Failure other-form, not-ours, target-failed, target-denied, stopped, file-system;
 *   no-store, bad-store
 */
export async function checkSite(remote: Remote, options: CheckSiteOptions): Promise<SiteCheck | undefined> {
  const { newest, listed } = await readNewest(remote, SITE_KIND, { remembered: undefined, listing: 'all' });
  if (newest === undefined) return undefined;
  const report = new Report();
  const commits = await checkCommits(remote, Math.max(newest.commit.number, ...commitNumbers(listed)), report, options);
  const sizes = new Map(listed.map(({ path, size }) => [path, size]));
  const head = (await remote.get(HEAD))?.bytes;
  if (head?.equals(newest.bytes) !== true) {
    const expected = `the bytes of ${commitPath(newest.commit.number)}`;
    report.add({ rule: 'head-copy', path: HEAD, expected, found: head === undefined ? 'no file' : 'other bytes' });
  }
  for (const { path, number } of leftoversIn(sizes.keys(), newest.commit.versions)) {
    // a run that sends the next version may be active
    if (number <= newest.commit.number) report.add({ rule: 'unexpected-file', path, expected: 'no file at this path', found: 'a file' });
  }
  const current = await checkVersions(remote, newest.commit, sizes, report, options);
  const { violations, causes, notes, violationCount, noteCount, notesByRule } = report;
  const { build, records = 0, accounts = 0 } = current ?? {};
  return {
    ...{ build, records, accounts, violations, causes, notes, violationCount, noteCount, notesByRule },
    number: newest.commit.versions.at(-1)?.number ?? 0,
    versions: newest.commit.versions.length,
    commits,
  };
}

/** Checks the commits from the first to `top`. Returns how many can be read. */
async function checkCommits(remote: Remote, top: number, report: Report, options: CheckSiteOptions): Promise<number> {
  const numbers = Array.from({ length: top }, (_, index) => index + 1);
  const found: { readonly digest: string; readonly commit: Pick<Commit, 'number' | 'previous'> }[] = [];
  const unreadable: Violation[] = [];
  let read = 0;
  await forEachLimit(numbers, options.concurrency, async (number) => {
    const [path, expected] = [commitPath(number), 'a commit with its digest'];
    const bytes = (await remote.get(path))?.bytes;
    try {
      const one = known(SITE_KIND, path, bytes);
      if (one !== undefined) {
        const { previous } = one.commit;
        found[number] = { digest: hash('sha256', one.bytes), commit: { number: one.commit.number, previous } };
      } else {
        // readers need only the newest one, and nothing can restore an earlier one
        const rule = number < top ? 'commit-lost' : 'commit-chain';
        unreadable.push({ rule, path, expected, found: bytes === undefined ? 'no file' : 'a damaged file' });
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'not-ours') throw error;
      unreadable.push({ rule: 'commit-chain', path, expected, found: `${error.place.field ?? ''}: ${error.found}` });
    }
    read += 1;
    options.onProgress?.('commits', read, top);
  });
  // in the order of the commits, not in that of the responses
  for (const one of unreadable.toSorted((a, b) => (a.path < b.path ? -1 : 1))) report.add(one);
  for (const number of numbers) {
    const [before, one, path] = [found[number - 1], found[number], commitPath(number)];
    if (one === undefined) continue;
    const compare = (field: string, wanted: unknown, value: unknown) => {
      if (wanted !== value) report.add({ rule: 'commit-chain', path, expected: `${field} ${wanted}`, found: String(value) });
    };
    compare('number', number, one.commit.number);
    // what a commit that cannot be read was is not known
    if (number === 1 || before !== undefined) compare('previous', before?.digest ?? null, one.commit.previous);
  }
  return top - unreadable.length;
}

/**
 * Fetches each version and compares it with its SHA-256. Checks the tree in the current one, or in all.
 * @param sizes the sizes of the objects at the target
 * @returns what was found in the current version; undefined if its data is missing or damaged
 */
async function checkVersions(
  remote: Remote,
  { versions, base_url }: Commit<SiteVersion>,
  sizes: ReadonlyMap<string, number>,
  report: Report,
  options: CheckSiteOptions,
): Promise<VerifySummary | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  const path = join(folder, 'version.zip');
  let current: VerifySummary | undefined;
  try {
    for (const [index, version] of versions.entries()) {
      options.onProgress?.('versions', index, versions.length);
      const { file, bytes, sha256 } = version;
      const isCurrent = index === versions.length - 1;
      if (await fetchVersion(remote, version, path)) {
        if (!isCurrent && !options.all) continue;
        const { store, ...rest } = options;
        const found = await verify({ ...rest, out: path, store: isCurrent ? store : undefined });
        report.addWithin(file, found);
        if (isCurrent) current = found;
        if (found.build !== undefined) checkFacts(version, path, isCurrent ? base_url : undefined, report);
      } else if (sizes.has(file)) {
        const found = sizes.get(file) === bytes ? 'other bytes' : `${sizes.get(file)} bytes`;
        report.add({ rule: 'file-digest', path: file, expected: `${bytes} bytes with the SHA-256 ${sha256}`, found });
      } else report.add({ rule: 'file-missing', path: file, expected: 'a file', found: 'no such file' });
    }
    return current;
  } finally {
    await remove(folder);
  }
}

/** Compares what a commit says of a version with the ZIP. */
function checkFacts(version: SiteVersion, path: string, baseUrl: string | undefined, report: Report): void {
  const zip = openLocalZip(path);
  zip.close();
  const { base_url } = zip.build;
  const { number, index, records, accounts, store, manifest, incomplete } = version;
  const expected = encodeJson({ ...zip.facts, base_url });
  const found = encodeJson({ index, records, accounts, store, manifest, incomplete, base_url: baseUrl ?? base_url });
  if (found !== expected) report.add({ rule: 'version-facts', path: HEAD, subject: `version ${number}`, expected, found });
}
