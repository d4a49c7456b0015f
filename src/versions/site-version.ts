import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { encodeJson, isObject } from '../contract/json.ts';
import { type Rule, text } from '../contract/shape.ts';
import { BUILD_RECORD, type BuildRecord, parseBuildRecord } from '../tree/build-record.ts';
import { MANIFEST } from '../tree/manifest/manifest.ts';
import { ZipDamage } from '../zip/member.ts';
import type { IndexPlace } from '../zip/zip-index.ts';
import { checkMembers } from '../zip/zip-problems.ts';
import { ZipReader } from '../zip/zip-reader.ts';
import { textOrNothing, VERSION_SHAPE, type Version, type VersionKind } from './commit.ts';
import { digestOf } from './fetch-version.ts';
import type { Draft } from './next-commit.ts';

/** A state of a site: a tree in a ZIP. */
export interface SiteVersion extends Version {
  /** Where the index of the members is in the ZIP. */
  readonly index: IndexPlace;
  /** The SHA-256 of the manifest of the tree. Two ZIPs with the same manifest and the same reports are the same state. */
  readonly manifest: string;
  /** The SHA-256 of the reports of incomplete mirrors in build.json; undefined if there are none. */
  readonly incomplete?: string | undefined;
}

const indexPlace: Rule<IndexPlace> = {
  expected: 'an object with the numbers offset, buckets and capacity',
  accepts: (value): value is IndexPlace =>
    isObject(value) && ['offset', 'buckets', 'capacity'].every((name) => Number.isSafeInteger(value[name])),
};

/** States of a site. What a person is removed from must not stay in caches for long. */
export const SITE_KIND: VersionKind<SiteVersion> = {
  name: 'site',
  suffix: '.zip',
  contentType: 'application/zip',
  cacheControl: { data: 'public, max-age=3600', head: 'public, max-age=0, must-revalidate' },
  isReadByHead: true,
  shape: { ...VERSION_SHAPE, index: indexPlace, manifest: text, incomplete: textOrNothing },
};

/** A tree in a local ZIP, opened. */
export interface LocalZip {
  readonly path: string;
  readonly bytes: number;
  readonly build: BuildRecord;
  readonly reader: ZipReader;
  /** What a version says of the tree. */
  readonly facts: Pick<SiteVersion, 'index' | 'records' | 'accounts' | 'store' | 'manifest' | 'incomplete'>;
  /**
   * Returns the version to send. Reads and checks the whole file.
   * @throws Failure tree-edited
   */
  readonly draft: () => Promise<Draft<SiteVersion>>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a tree in a ZIP.
 * @throws Failure no-tree, tree-unfinished
 */
export async function openLocalZip(path: string): Promise<LocalZip> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    throw noTree(path, error instanceof Error ? error.message : String(error));
  }
  try {
    const { size } = await file.stat();
    const reader = new ZipReader(file.fd);
    const build = parseBuildRecord(reader.read(BUILD_RECORD) ?? Buffer.of());
    if (typeof build === 'string') throw noTree(path, `a ZIP whose ${BUILD_RECORD} is ${build}`);
    const { records, accounts, store, manifest } = build;
    const incomplete = build.incomplete && hash('sha256', encodeJson(build.incomplete));
    const facts = { index: reader.index, records, accounts, store, manifest, incomplete };
    return {
      path,
      bytes: size,
      build,
      reader,
      facts,
      draft: async () => {
        const sha256 = await digestOf(file);
        await checkTree(path, reader, manifest);
        return { file: { descriptor: file.fd, size }, sha256, version: (published) => ({ ...published, bytes: size, sha256, ...facts }) };
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error instanceof ZipDamage ? noTree(path, error.message) : error;
  }
}

/** @throws Failure tree-edited if a member or the index is damaged, because hosts would answer its pages with an error */
async function checkTree(path: string, reader: ZipReader, manifest: string): Promise<void> {
  try {
    await checkMembers(reader);
    if (hash('sha256', reader.read(MANIFEST) ?? '') !== manifest) throw new ZipDamage(`${MANIFEST} has another SHA-256`);
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    throw new Failure('tree-edited', `${path} differs from what the build wrote`, {
      place: { file: path },
      expected: `an index and members with their CRC-32, and a ${MANIFEST} with the SHA-256 ${manifest}`,
      found: error.message,
      hint: hint`run ${suggested('build', { '--out': path, '--repair': true })}, then run this command again; nothing was changed`,
      cause: error,
    });
  }
}

function noTree(path: string, found: string): Failure {
  return new Failure('no-tree', `${path} is not a tree in a ZIP`, {
    place: { file: path },
    expected: 'a ZIP that palimpsest build wrote',
    found,
    hint: hint`run ${suggested('build', { '--out': path })}`,
  });
}
