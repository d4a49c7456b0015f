import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packMember, ZipDamage } from '../zip/member.ts';
import type { ZipReader } from '../zip/zip-reader.ts';
import { ZipWriter } from '../zip/zip-writer.ts';
import { BUILD_RECORD, type BuildRecord, encodeBuildRecord } from './build-record.ts';
import { type Exchange, type Exchanged, tally } from './exchange.ts';
import { MANIFEST, writeManifest } from './manifest.ts';
import { type ManifestLine, parseLine } from './manifest-line.ts';
import { MemberSources } from './member-sources.ts';
import { SORT_KEYS } from './sort-keys.ts';
import { edited } from './verified-tree.ts';

/** The ZIP that a build replaces. */
export interface PresentZip {
  /** Undefined if there is no ZIP, or its end is damaged. */
  readonly zip: ZipReader | undefined;
  /** Its record; undefined if it has none, or is not trusted. */
  readonly found: BuildRecord | undefined;
}

/**
 * Writes the ZIP of a build in the stage, and then moves it to its place. Its members are in the order of the manifest. Those that
 * did not change are copied from the present ZIP as they lie there.
 * @throws Failure tree-edited if the present ZIP lacks a member that did not change; then nothing was changed
 */
export async function exchangeZip(options: Exchange, { zip: present, found }: PresentZip): Promise<Exchanged> {
  const { out, stage, before, after, sortKeys, browse, record: now, pauses, onProgress } = options;
  const manifest = join(stage, 'manifest');
  const build = { ...now, manifest: writeManifest(manifest, after, browse?.lines() ?? [], sortKeys) };
  const { written, unchanged } = tally(before, after);
  const { files: browsed, written: browseWritten, obsolete: removedBrowseFiles } = browse ?? { files: 0, written: 0, obsolete: 0 };
  const sources = new MemberSources(stage, present);
  const staged = join(stage, 'tree.zip');
  const file = openSync(staged, 'wx');
  const writer = new ZipWriter(file, join(stage, 'central-directory'));
  try {
    let done = 0;
    for (const { path, digest } of linesOf(options, sources)) {
      writer.add(sources.member(path), digest);
      done += 1;
      if (!pauses.areDue) continue;
      onProgress('exchange', done, written + unchanged + browsed);
      await pauses.take();
    }
    const keys = readFileSync(join(stage, SORT_KEYS));
    writer.add(packMember(SORT_KEYS, [keys]), hash('sha256', keys));
    writer.addFile(MANIFEST, manifest, build.manifest);
    const record = Buffer.from(encodeBuildRecord(build));
    writer.add(packMember(BUILD_RECORD, [record]), hash('sha256', record));
    writer.end();
    fsyncSync(file);
  } catch (error) {
    throw error instanceof ZipDamage ? edited(out, undefined, error.message) : error;
  } finally {
    writer.close();
    closeSync(file);
    sources.close();
  }
  pauses.check();
  renameSync(staged, out);
  syncFolder(dirname(out));
  const removedPages =
    found === undefined ? 0 : surplus(found.data_pages, now.data_pages) + surplus(found.account_pages, now.account_pages);
  return {
    build,
    written: written + browseWritten,
    unchanged: unchanged + browsed - browseWritten,
    removed: removedPages + removedBrowseFiles,
    removedCopies: 0,
    removedBrowseFiles,
  };
}

/** Yields the lines of the manifest before that of the sort keys. */
function* linesOf({ after, browse }: Exchange, sources: MemberSources): Generator<ManifestLine> {
  for (const { path, digest = '' } of after.entries()) yield { path, digest };
  let part = 0;
  for (const lines of browse?.lines() ?? []) {
    sources.beginPart(part);
    part += 1;
    for (const text of lines.toString('latin1').split('\n')) {
      const line = parseLine(text);
      if (line !== undefined) yield line;
    }
  }
}

function surplus(before: number, after: number): number {
  return Math.max(0, before - after);
}

/** Makes sure that a rename in a folder survives a loss of power. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
