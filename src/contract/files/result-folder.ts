import { readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import { draftsIn } from './draft.ts';

/**
 * Refuses a folder for a result that contains anything other than an earlier result.
 * @param otherIn returns the first of these names, or a path below one, that is not of an earlier result; undefined if there is none
 * @throws Failure not-ours
 */
export function refuseOtherContent(folder: string, otherIn: (names: readonly string[]) => string | undefined): void {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status === undefined) return;
  const drafts = draftsIn(folder).map(({ path }) => basename(path));
  const names = status.isDirectory() ? readdirSync(folder).filter((name) => !drafts.includes(name)) : undefined;
  const other = names === undefined || names.length === 0 ? undefined : otherIn(names.toSorted());
  if (names !== undefined && other === undefined) return;
  throw new Failure('not-ours', `${folder} contains something other than an earlier result`, {
    place: { file: folder },
    expected: 'a new or empty folder, or one that contains only an earlier result',
    found: names === undefined ? 'a file' : `a folder that contains ${other}`,
    hint: 'name another folder with --to, or move this one away; nothing was changed',
  });
}
