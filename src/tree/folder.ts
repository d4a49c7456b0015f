import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { lock } from '../store/lock.ts';
import { mkdirp } from '../store/mkdirp.ts';
import { BUILD_RECORD, readBuildRecord } from './build-record.ts';
import { refuseUnlessFile, refuseUnlessFolder } from './obstacles.ts';

/** The folder inside a tree in which a build works; it is there only while one runs, or was killed. */
export const WORK_FOLDER = '.palimpsest';

/** The file in it that a build locks. */
const LOCK = 'lock';

/** A tree's folder, claimed by one build. */
export interface ClaimedFolder {
  /** An empty folder beside the pages, for files that are not yet to be seen. */
  readonly stage: string;
  /** Gives the folder back, as it is; what was staged is gone. */
  readonly release: () => void;
}

/**
 * Claims a folder for a build; made if it is not there.
 * @throws Failure not-ours where something else lives in it, tree-busy where another build is at it,
 *   file-system where it cannot be written
 */
export function claimFolder(out: string): ClaimedFolder {
  try {
    const isNew = checkOwnership(out) === 'absent';
    const work = join(out, WORK_FOLDER);
    // what lies behind a link is somebody else's, and a pipe would be waited for
    refuseUnlessFolder(work);
    refuseUnlessFile(join(work, LOCK));
    const held = lockIn(work);
    if (held === undefined) {
      throw new Failure('tree-busy', `another build is writing ${out}`, {
        place: { file: out },
        expected: 'one build at a time in a folder',
        found: 'a build under way',
        hint: 'wait until it has ended, or build into another folder with --out',
      });
    }
    const stage = join(work, 'stage');
    rmSync(stage, { recursive: true, force: true });
    mkdirSync(stage, { recursive: true });
    const release = () => {
      rmSync(stage, { recursive: true, force: true });
      held.release();
      removeIfEmpty(work);
      if (isNew) removeIfEmpty(out);
    };
    return { stage, release };
  } catch (error) {
    throw fileSystemFailure(out, error);
  }
}

function checkOwnership(out: string): 'absent' | 'ours' {
  const names = namesIn(out);
  if (names === 'absent') return 'absent';
  const foreign = names === 'no folder' ? [] : names.filter((name) => !name.startsWith('.'));
  const record = readBuildRecord(out);
  const isOurs = record !== 'none' && record !== 'foreign';
  if (names !== 'no folder' && (isOurs || foreign.length === 0)) return 'ours';
  throw new Failure('not-ours', `${out} was not made by palimpsest`, {
    place: { file: out },
    expected: `an empty folder, a new one, or one with palimpsest's ${BUILD_RECORD}`,
    found: names === 'no folder' ? 'a file' : foreign.slice(0, 3).join(', '),
    hint: 'name another folder with --out; nothing was touched',
  });
}

/** Asked in one call: between two, a build that made nothing may take its folder away again. */
function namesIn(folder: string): readonly string[] | 'absent' | 'no folder' {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return 'absent';
    if (code === 'ENOTDIR') return 'no folder';
    throw error;
  }
}

/** How often the lock is tried for while others take its folder away: far more often than they can. */
const TRIES = 100;

function lockIn(work: string): ReturnType<typeof lock> {
  for (let left = TRIES; ; left -= 1) {
    try {
      mkdirp(work);
      return lock(join(work, LOCK));
    } catch (error) {
      // a build that ended just now may have taken the folder away under this one's hands
      if (left === 0 || error instanceof Failure) throw error;
    }
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // somebody is at work in it, or keeps something there
  }
}

/** A system error as a Failure that says what to do; any other as it is. */
export function fileSystemFailure(out: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error) || typeof error.code !== 'string') return error;
  const hints: { readonly [code: string]: string } = {
    ENOSPC: 'free some space, then build again',
    EDQUOT: 'free some space, then build again',
    EACCES: 'look at the permissions, or build into another folder with --out',
    EPERM: 'look at the permissions, or build into another folder with --out',
    EROFS: 'build into a folder that can be written, with --out',
  };
  const hint = hints[error.code] ?? 'look at the path, or build into another folder with --out';
  return new Failure('file-system', `cannot write ${out}`, {
    place: { file: out },
    expected: 'a folder that can be written and has room',
    found: error.message,
    hint,
    cause: error,
  });
}
