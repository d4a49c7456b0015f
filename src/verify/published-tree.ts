import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { HOME } from '../browse/paths.ts';
import type { OnProgress } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { SITE_MARKER } from '../contract/files/markers.ts';
import { forEachLimit } from '../storage/concurrency-limit.ts';
import type { Remote } from '../storage/remote.ts';
import type { Fetched } from '../storage/target.ts';
import { toOutputFailure } from '../tree/build/claim-output.ts';
import { BUILD_RECORD, layoutOf, parseBuildRecord } from '../tree/build-record.ts';
import { listedFiles } from '../tree/layout.ts';
import { MANIFEST } from '../tree/manifest/manifest.ts';
import { SORT_KEYS } from '../tree/sort-keys.ts';
import type { VerifyPhase } from './cross-span-check.ts';
import { type VerifyOptions, type VerifySummary, verify } from './verify.ts';

export interface VerifyPublishedOptions extends Omit<VerifyOptions, 'out' | 'onProgress'> {
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  /** `fetch` counts files. */
  readonly onProgress?: OnProgress<VerifyPhase | 'fetch'> | undefined;
}

/** The files of a published tree beside those of `rest/` and `browse/`. */
const FILES_BESIDE = [BUILD_RECORD, MANIFEST, SORT_KEYS, SITE_MARKER, HOME];

/**
 * Checks the pages that were published to a target as files, like a tree in a folder: fetches them into a temporary folder, one
 * request for each file. The use of memory does not grow with the tree.
 * @throws Failure no-tree if there is no tree; target-failed, target-denied, stopped, file-system; no-store, bad-store
 */
export async function verifyPublished(remote: Remote, options: VerifyPublishedOptions): Promise<VerifySummary> {
  const record = await remote.get(BUILD_RECORD);
  if (record === undefined) throw noTree(remote);
  const build = parseBuildRecord(record.bytes);
  const expected = typeof build === 'object' ? listedFiles(layoutOf(build), build) + FILES_BESIDE.length - 1 : 0;
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  let fetched = 0;
  try {
    await forEachLimit(remote.objects(''), options.concurrency, async ({ path }) => {
      await fetchInto(folder, path, remote);
      fetched += 1;
      options.onProgress?.('fetch', fetched, Math.max(fetched, expected));
    });
    const summary = await verify({ ...options, out: folder });
    const violations = summary.violations.map((one) => ({ ...one, found: one.found.replaceAll(folder, remote.name) }));
    return { ...summary, violations };
  } catch (error) {
    throw toOutputFailure(folder, error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function noTree({ name }: Remote): Failure {
  return new Failure('no-tree', `there is no tree at ${name}`, {
    place: { file: name },
    expected: 'build.json, or versions of a site',
    found: 'neither',
    hint: 'name another target or --prefix',
  });
}

/** Fetches an object into a folder. Of one that no tree has, only the name is needed. */
async function fetchInto(folder: string, path: string, remote: Remote): Promise<void> {
  // consoles of object stores make such an object for a folder
  if (path === '' || path.endsWith('/')) return;
  const isExpected = /^(?:rest|browse)\//.test(path) || FILES_BESIDE.includes(path);
  const found = isExpected ? await remote.get(path) : undefined;
  // deleted since it was listed
  if (isExpected && found === undefined) return;
  const isName =
    /^[^/\0]+(?:\/[^/\0]+)*$/.test(path) && !path.split('/').some((name) => /^\.\.?$/.test(name) || Buffer.byteLength(name) > 255);
  const file = join(folder, isName ? path : encodeURIComponent(path).slice(0, 255));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, found === undefined ? '' : contentOf(path, found));
}

/** Returns the bytes of a file as the tree has it. `publish --gzip` stores pages with the coding gzip. */
function contentOf(path: string, { bytes, contentEncoding }: Fetched): Buffer {
  if (contentEncoding.toLowerCase() !== 'gzip' || path.endsWith('.gz')) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    return bytes;
  }
}
