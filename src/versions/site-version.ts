import { hash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { encodeJson, isObject } from '../contract/json.ts';
import { orNothing, type Rule, text } from '../contract/json-shape.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import { noTree, openFinishedTree } from '../tree/existing-tree.ts';
import { MANIFEST } from '../tree/manifest/manifest.ts';
import { edited } from '../tree/verified-tree.ts';
import { ZipDamage } from '../zip/member.ts';
import type { IndexPlace } from '../zip/zip-index.ts';
import { checkMembers } from '../zip/zip-problems.ts';
import type { ZipReader } from '../zip/zip-reader.ts';
import { VERSION_SHAPE, type Version, type VersionKind } from './commit-format.ts';
import { digestOf } from './fetch-version.ts';
import type { Draft } from './write-commit.ts';

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
  shape: { ...VERSION_SHAPE, index: indexPlace, manifest: text, incomplete: orNothing(text) },
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
  readonly close: () => void;
}

/** @throws Failure no-tree, tree-unfinished */
export function openLocalZip(path: string): LocalZip {
  const { files, build } = openFinishedTree(path);
  const reader = files.zip;
  if (reader === undefined) throw noTree(path);
  const { size } = fstatSync(reader.file);
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
      const sha256 = await digestOf(reader.file);
      await checkTree(path, reader, manifest);
      return {
        file: { descriptor: reader.file, size },
        sha256,
        version: (published) => ({ ...published, bytes: size, sha256, ...facts }),
      };
    },
    close: () => files.close(),
  };
}

/** @throws Failure tree-edited if a member or the index is damaged, because hosts would answer its pages with an error */
async function checkTree(path: string, reader: ZipReader, manifest: string): Promise<void> {
  try {
    await checkMembers(reader);
  } catch (error) {
    throw error instanceof ZipDamage ? edited(path, undefined, error.message) : error;
  }
  const found = hash('sha256', reader.read(MANIFEST) ?? '');
  if (found !== manifest) throw edited(join(path, MANIFEST), manifest, found);
}
