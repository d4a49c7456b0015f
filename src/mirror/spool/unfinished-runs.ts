import { hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../contract/failure.ts';
import { removeDatabase } from '../../store/database/connection.ts';
import { type Lock, lock } from '../../store/database/lock-file.ts';

/** Returns the path of the pages of an unfinished run, beside the store. */
export function spoolPath(store: string, baseUrl: string): string {
  return `${store}-mirror-${hash('sha256', baseUrl).slice(0, 8)}`;
}

/** Returns the path of a version of a site that a run fetches. */
export function versionPath(spool: string, sha256: string): string {
  return `${spool}-version-${sha256.slice(0, 12)}`;
}

/** Returns the paths of the versions of a site that a run has fetched, or begun to fetch. */
export function versionFiles(spool: string): string[] {
  const prefix = `${basename(spool)}-version-`;
  return readdirSync(dirname(spool)).flatMap((entry) => (entry.startsWith(prefix) ? [join(dirname(spool), entry)] : []));
}

const NAME = /^(-mirror-[0-9a-f]{8})(-version-[0-9a-f]{12})?$/;

/** @throws Failure store-busy if another process has them */
export function lockRun(store: string, spool: string): Lock {
  const runLock = lock(`${spool}-lock`);
  if (runLock !== undefined) return runLock;
  throw new Failure('store-busy', `another process is mirroring into ${store}`, {
    place: { file: store },
    expected: 'no other mirror of the same service',
    found: `${spool}, locked by another process`,
    hint: 'wait until the mirror has ended, then run the command again',
  });
}

/** Returns the paths of the pages of all unfinished runs of a store. */
export function unfinishedRuns(store: string): string[] {
  const [folder, name] = [dirname(store), basename(store)];
  if (!existsSync(folder)) return [];
  const endings = readdirSync(folder).flatMap((entry) => (entry.startsWith(name) ? (NAME.exec(entry.slice(name.length))?.[1] ?? []) : []));
  return [...new Set(endings)].map((ending) => join(folder, name + ending));
}

/**
 * Deletes the pages of all unfinished runs, so that these start again from page 1. The pages can contain any account.
 * @throws Failure store-busy if a run is active
 */
export function discardUnfinishedRuns(store: string): void {
  for (const spool of unfinishedRuns(store)) {
    const runLock = lockRun(store, spool);
    removeDatabase(spool);
    for (const path of versionFiles(spool)) rmSync(path);
    runLock.release();
  }
}
