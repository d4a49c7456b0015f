import { closeSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf, Failure, fileSystemFailure } from '../../contract/failure.ts';
import { behindLinks } from '../../contract/files/draft-file.ts';
import { readFully } from '../../contract/files/file-bytes.ts';
import { VERSIONS_MARKER } from '../../contract/files/markers.ts';
import { mkdirp, removeEmptyFolders } from '../../contract/files/mkdirp.ts';
import { lock } from '../../store/database/lock-file.ts';
import { decodeHeader, HEADER_BYTES } from '../../zip/local-header.ts';
import { BUILD_RECORD, hasTree } from '../build-record.ts';
import { indexPath } from '../layout.ts';
import { openRegularFile } from '../regular-file.ts';
import { refuseUnlessFile, refuseUnlessFolder } from './obstacles.ts';

/** The working folder of a build, inside the tree. It exists while a build runs, and after a build was killed. */
const WORK_FOLDER = '.palimpsest';

/** The lock file of a build, in the working folder. */
const LOCK = 'lock';

/** A tree's folder or ZIP, claimed by one build. */
export interface ClaimedTree {
  /** The path of the tree: for a link to a ZIP, that of the ZIP. */
  readonly path: string;
  /** An empty folder on the same file system for files that readers must not see yet. */
  readonly stage: string;
  /** Releases the tree and deletes the staged files. The tree stays unchanged. */
  readonly release: () => void;
}

/**
 * Claims a folder for a build. Creates the folder if it does not exist.
 * @throws Failure not-ours if the folder has other contents, other-form if it has versions, tree-busy if another build uses it, file-system if it cannot be written
 */
export function claimFolder(out: string): ClaimedTree {
  try {
    checkOwnership(out);
    return claim(out, join(out, WORK_FOLDER));
  } catch (error) {
    throw toOutputFailure(out, error);
  }
}

/**
 * Claims a ZIP for a build. The working folder is beside it, and hidden.
 * @throws Failure not-ours if another file is there, tree-busy if another build uses it, file-system if it cannot be written
 */
export function claimZip(out: string): ClaimedTree {
  try {
    if (existsSync(out)) refuseForeignZip(out);
    const path = behindLinks(out);
    return claim(path, join(dirname(path), `.${basename(path)}${WORK_FOLDER}`));
  } catch (error) {
    throw toOutputFailure(out, error);
  }
}

/** Claims a working folder. Folders that this creates are removed again if they stay empty. */
function claim(path: string, work: string): ClaimedTree {
  // the target of a link belongs to somebody else, and opening a pipe would block
  refuseUnlessFolder(work);
  refuseUnlessFile(join(work, LOCK));
  const [buildLock, created] = lockIn(work);
  if (buildLock === undefined) {
    throw new Failure('tree-busy', `another build is writing ${path}`, {
      place: { file: path },
      hint: 'wait until that build has ended, or build into another place with --out',
    });
  }
  const stage = join(work, 'stage');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  const release = () => {
    rmSync(stage, { recursive: true, force: true });
    buildLock.release();
    removeEmptyFolders([...created.filter((folder) => folder !== work), work]);
  };
  return { path, stage, release };
}

/** @throws Failure not-ours if a file is no ZIP of a tree */
function refuseForeignZip(out: string): void {
  const found = statSync(out);
  if (isOwnZip(out) || (found.isFile() && found.size === 0)) return;
  const expected = 'nothing at this path, an empty file, or a ZIP that palimpsest built';
  throw notOurs(out, expected, found.isFile() ? 'a file' : 'something that is not a file');
}

/**
 * Lists the folder in one call: between two calls, another build that wrote nothing could remove its folder again.
 * @throws Failure not-ours if a folder has other contents, other-form if it has versions
 */
function checkOwnership(out: string): void {
  const expected = `an empty folder, a new one, or one with palimpsest's ${BUILD_RECORD}`;
  let names: readonly string[] = [];
  try {
    names = readdirSync(out);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw notOurs(out, expected, 'a file');
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (names.includes(VERSIONS_MARKER)) throw otherForm(out);
  const foreign = names.filter((name) => !name.startsWith('.'));
  if (foreign.length > 0 && !hasTree(out)) throw notOurs(out, expected, foreign.slice(0, 3).join(', '));
}

function otherForm(out: string): Failure {
  const [expected, found] = ['an empty folder, a new one, or a tree', 'a target with versions'];
  const hint = 'name another folder or ZIP with --out; nothing was changed';
  return new Failure('other-form', `${out} is a target with versions`, {
    place: { file: join(out, VERSIONS_MARKER) },
    expected,
    found,
    hint,
  });
}

function notOurs(out: string, expected: string, found: string): Failure {
  const hint = 'name another folder or ZIP with --out; nothing was changed';
  return new Failure('not-ours', `${out} was not made by palimpsest`, { place: { file: out }, expected, found, hint });
}

/** The number of attempts at the lock while other builds remove its folder. They cannot remove it nearly that often. */
const TRIES = 100;

function lockIn(work: string): readonly [taken: ReturnType<typeof lock>, created: readonly string[]] {
  for (let left = TRIES; ; left -= 1) {
    try {
      const created = mkdirp(work);
      return [lock(join(work, LOCK)), created];
    } catch (error) {
      // a build that has just ended may have removed the folder in the meantime
      if (left === 0 || error instanceof Failure) throw error;
    }
  }
}

/** Turns a system error into a Failure with a hint. Returns any other error unchanged. */
export function toOutputFailure(out: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const expected = 'a writable folder on a disk with free space';
  const hint = 'free some space, check the permissions and the path, or build into another folder with --out';
  return fileSystemFailure(error, out, { expected, hint });
}

/** The first member of the ZIP of a tree. */
const FIRST = indexPath('data');

/** Whether a file begins like the ZIP of a tree. Its end may be damaged or missing. */
export function isOwnZip(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const bytes = Buffer.alloc(HEADER_BYTES + FIRST.length);
  const file = openRegularFile(path);
  try {
    return readFully(file, bytes, 0) === bytes.length && decodeHeader(bytes)?.path === FIRST;
  } finally {
    closeSync(file);
  }
}
