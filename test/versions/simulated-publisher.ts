import { hash } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRemote } from '../../src/storage/remote.ts';
import type { Target } from '../../src/storage/target.ts';
import { changeVersions, type Memory, type WriteOptions, type Written } from '../../src/versions/change-versions.ts';
import { VERSION_SHAPE, type Version, type VersionKind } from '../../src/versions/commit-format.ts';
import type { Draft, NextList } from '../../src/versions/write-commit.ts';

/** Versions without the fields of a site or a store. */
export const KIND: VersionKind<Version> = {
  name: 'site',
  suffix: '.zip',
  contentType: 'application/zip',
  cacheControl: { data: 'public, max-age=3600', head: 'no-cache' },
  isReadByHead: true,
  shape: VERSION_SHAPE,
};

/** What a publisher remembers, in memory. */
export function memory(): Memory {
  let commit: Buffer | undefined;
  return {
    read: () => commit,
    write: (bytes) => {
      commit = bytes;
    },
  };
}

const opened: number[] = [];

/** Closes the files of all drafts. */
export function closeDrafts(): void {
  for (const file of opened.splice(0)) closeSync(file);
}

/** Returns a version to be sent whose data is a text. */
export function draft(folder: string, text: string): Draft<Version> {
  const sha256 = hash('sha256', text);
  const path = join(folder, sha256);
  writeFileSync(path, text);
  const bytes = Buffer.byteLength(text);
  const file = { descriptor: openSync(path, 'r'), size: bytes };
  opened.push(file.descriptor);
  return { file, sha256, version: (published) => ({ ...published, bytes, sha256, records: 1, accounts: 1, store: sha256 }) };
}

export type Decide = WriteOptions<Version>['decide'];

/** Publishes a state, if it is not current. */
export function publishing(added: Draft<Version>, select: (versions: readonly Version[]) => readonly Version[] = (all) => all): Decide {
  return async ({ newest }): Promise<NextList<Version> | undefined> => {
    const live = newest?.commit.versions ?? [];
    const kept = select(live);
    const isCurrent = live.at(-1)?.sha256 === added.sha256;
    const notBefore = newest?.commit.time;
    if (isCurrent)
      return kept.length === live.length
        ? undefined
        : { change: 'keep', notBefore, kept: [...kept.filter((one) => one !== live.at(-1)), ...live.slice(-1)], added: [] };
    return { change: 'publish', notBefore, kept, added: [added] };
  };
}

/** Goes back by some versions. */
export function rollingBack(by: number): Decide {
  return async ({ newest }) => {
    const live = newest?.commit.versions ?? [];
    const notBefore = newest?.commit.time;
    return live.length <= by ? undefined : { change: 'rollback', notBefore, kept: live.slice(0, live.length - by), added: [] };
  };
}

/** Deletes some versions before the current one. */
export function dropping(isDropped: (index: number) => boolean): Decide {
  return async ({ newest }) => {
    const live = newest?.commit.versions ?? [];
    const kept = live.filter((one, index) => one === live.at(-1) || !isDropped(index));
    return kept.length === live.length ? undefined : { change: 'keep', notBefore: newest?.commit.time, kept, added: [] };
  };
}

export async function run(
  target: Target,
  decide: Decide,
  { isReadByHead = true, ...more }: Partial<WriteOptions<Version> & Pick<typeof KIND, 'isReadByHead'>> = {},
): Promise<Written<Version> & { readonly requests: number }> {
  const remote = openRemote(target, {
    concurrency: 4,
    retryPolicy: { attempts: 6, timeout: 60_000 },
    signal: new AbortController().signal,
  });
  const options = { memory: undefined, singlePublisher: false, isThorough: false, ...more, decide };
  const written = await changeVersions(remote, { ...KIND, isReadByHead }, options);
  return { ...written, requests: remote.traffic.requests };
}
