import { lstatSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Failure, fileSystemFailure } from '../failure.ts';
import { isRunning, machineId } from './running-process.ts';

/** The name of a draft: hidden, with the name of the file that it becomes, the program, the machine and the process. */
const DRAFT = /^\.(.+)\.palimpsest-([0-9a-f]{8})-(\d+)\.draft$/s;

/**
 * Returns the path of the draft of a file or folder, which lies beside it and becomes it when it is complete. Removes the drafts of the
 * same file that killed runs of this machine left.
 */
export function draftOf(path: string): string {
  const [folder, name] = [dirname(path), basename(path)];
  for (const draft of draftsIn(folder)) if (draft.of === name && draft.isLeft) rmSync(draft.path, { recursive: true, force: true });
  return join(folder, `.${name}.palimpsest-${machine()}-${process.pid}.draft`);
}

interface FoundDraft {
  readonly path: string;
  /** The name of the file that it should have become. */
  readonly of: string;
  /** Whether the process that wrote it is known to have ended. */
  readonly isLeft: boolean;
  /** Whether a process of this machine is known to write it. */
  readonly isActive: boolean;
}

/** Whether another process of this machine writes a draft of the same file or folder. */
export function hasOtherWriter(draft: string): boolean {
  const of = DRAFT.exec(basename(draft))?.[1];
  return draftsIn(dirname(draft)).some((one) => one.of === of && one.isActive && one.path !== draft);
}

/** Returns the drafts in a folder, which may not exist. */
export function draftsIn(folder: string): readonly FoundDraft[] {
  return namesIn(folder).flatMap((name) => {
    const [, of, on, id] = DRAFT.exec(name) ?? [];
    if (of === undefined) return [];
    const [isHere, runs] = [on === machine(), isRunning(Number(id))];
    return [{ path: join(folder, name), of, isLeft: isHere && !runs, isActive: isHere && runs }];
  });
}

function machine(): string {
  return machineId().slice(0, 8);
}

/** Returns the names in a folder; none if it cannot be listed. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

/**
 * Returns the path of the file behind a link, so that a rename replaces the file and not the link. The file may not exist.
 * @throws the error of the system if symbolic links form a cycle
 */
export function behindLinks(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  return behindLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)));
}

/**
 * The failure if the file that a draft becomes cannot be written.
 * @param cause the error, or a text that says what was found
 * @param option the option that names the file or its folder
 */
export function unwritable(path: string, cause: unknown, option = '--to'): Failure {
  const expected = 'a writable file and enough free space';
  const hint = `name another file with ${option}, or check the permissions and free space of its folder`;
  return fileSystemFailure(cause, path, { expected, hint });
}
