import { Failure } from '../contract/failure.ts';
import { suggested } from '../contract/hint.ts';
import { plural } from '../contract/plural.ts';

/** @param command the command that reads the rejects file */
export function allRejected(command: 'import' | 'observe' | 'normalize', rejected: number, rejects: string): Failure {
  return new Failure('all-rejected', 'no item was accepted, and the store is unchanged', {
    place: { file: rejects },
    expected: 'at least one item that can be added to the store',
    found: plural(rejected, 'rejected item'),
    hint: [`correct the items in ${rejects}, then run `, suggested(command, {}, [rejects])],
  });
}
