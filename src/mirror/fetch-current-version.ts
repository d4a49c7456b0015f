import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Pauses } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { writeFully } from '../contract/files/file-bytes.ts';
import { BadResponse } from '../http/http-client.ts';
import type { Exclusions } from '../store/exclusions/exclusions.ts';
import { pagePath } from '../tree/layout.ts';
import { openVerified, readVerified, type VerifiedTree } from '../tree/verified-tree.ts';
import { HEAD, parseCommit } from '../versions/commit-format.ts';
import { digestOf } from '../versions/fetch-version.ts';
import { SITE_KIND, type SiteVersion } from '../versions/site-version.ts';
import type { PageReader } from './page-reader.ts';
import { PageFailed, type RetryingClient } from './retrying-client.ts';
import { pageAddress, parsePage, withoutExcludedNames } from './service-page.ts';
import { versionFiles, versionPath } from './spool/unfinished-runs.ts';
import type { PageName } from './walk/reading-plan.ts';

/** The bytes of one request. They are kept in memory. */
const RANGE_BYTES = 1 << 24;
/** The number of requests for the head, which most services do not have. */
const HEAD_ATTEMPTS = 2;
/** How often the current version is fetched: it may be deleted meanwhile, or arrive damaged. */
const ATTEMPTS = 2;

/**
 * Fetches the current version of a site with versions to a file beside the store. An interrupted run continues where it stopped.
 * @param spool the path of the pages of the run
 * @param onProgress called with the number of bytes that were fetched, and the number of all
 * @returns undefined if the service is no site with versions at this address, or the version cannot be read
 * @throws Failure service-failed, bad-service, stopped
 */
export async function fetchCurrentVersion(
  client: RetryingClient,
  baseUrl: string,
  spool: string,
  onProgress: (done: number, all: number) => void,
): Promise<VerifiedTree | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const version = await currentVersion(client, baseUrl);
    if (version === undefined) return undefined;
    const path = versionPath(spool, version.sha256);
    for (const other of versionFiles(spool)) if (other !== path) rmSync(other);
    try {
      if (await fetchRest(client, `${baseUrl}/${version.file}`, version, path, onProgress)) {
        const tree = openVerified(path);
        if (tree.build.manifest === version.manifest && tree.build.base_url === baseUrl) return tree;
        tree.files.close();
      }
    } catch (error) {
      if (error instanceof PageFailed) return undefined;
      const isBadTree = error instanceof Failure && /^(no-tree|tree-)/.test(error.code);
      if (!isBadTree) throw error;
    }
    rmSync(path, { force: true });
  }
  return undefined;
}

async function currentVersion(client: RetryingClient, baseUrl: string): Promise<SiteVersion | undefined> {
  try {
    const bytes = await client.get(
      `${baseUrl}/${HEAD}`,
      {},
      (answer) => (answer.status === 200 ? answer.body() : undefined),
      HEAD_ATTEMPTS,
    );
    const commit = bytes && parseCommit(SITE_KIND, HEAD, bytes);
    return commit?.base_url === baseUrl ? commit.versions.at(-1) : undefined;
  } catch (error) {
    if (error instanceof PageFailed || (error instanceof Failure && /^(other-form|not-ours)$/.test(error.code))) return undefined;
    throw error;
  }
}

/**
 * Appends the bytes that a file lacks.
 * @returns whether the file then has the SHA-256 of the version
 */
async function fetchRest(
  client: RetryingClient,
  url: string,
  { bytes, sha256 }: SiteVersion,
  path: string,
  onProgress: (done: number, all: number) => void,
): Promise<boolean> {
  const file = await open(path, 'a+');
  try {
    for (let from = (await file.stat()).size; from < bytes; from = (await file.stat()).size) {
      const to = Math.min(bytes, from + RANGE_BYTES);
      const headers = { 'Accept-Encoding': 'identity', Range: `bytes=${from}-${to - 1}` };
      const part = await client.get(url, headers, ({ status, sent }) => {
        if (status !== 200 && status !== 206) return undefined;
        // a server without ranges sends the whole file
        const found = status === 200 ? sent.subarray(from, to) : sent;
        if (found.length !== to - from) throw new BadResponse(`${found.length} bytes instead of ${to - from}`);
        return status === 200 ? sent.subarray(from) : sent;
      });
      if (part === undefined) return false;
      writeFully(file.fd, part);
      onProgress(from + part.length, bytes);
    }
    return (await digestOf(file.fd)) === sha256;
  } finally {
    await file.close();
  }
}

/** Returns a reader of the pages in a version: they are on this machine, and need no request. */
export function versionReader(
  tree: VerifiedTree,
  { baseUrl, signal }: { readonly baseUrl: string; readonly signal: AbortSignal },
  exclusions: Exclusions,
): Pick<PageReader, 'read' | 'addressOf'> {
  const pauses = new Pauses(signal, 'the version that was fetched is kept beside the store, and the store is unchanged');
  const addressOf = ({ collection, number }: PageName) => pageAddress(baseUrl, collection, number);
  return {
    addressOf,
    read: async (name) => {
      // without requests, nothing else lets a stop arrive
      if (pauses.areDue) await pauses.take();
      if (name.number > tree.digests.pages[name.collection]) return { kind: 'missing' };
      const path = pagePath(name.collection, name.number);
      const sent = readVerified(tree, { path, digest: tree.digests.get(path) ?? '' });
      try {
        const contents = withoutExcludedNames(parsePage(name, sent), exclusions);
        return { kind: 'page', url: addressOf(name), contents, etag: null, sent };
      } catch (error) {
        if (error instanceof BadResponse) return { kind: 'failed', reason: error.message };
        throw error;
      }
    },
  };
}
