import { existsSync } from 'node:fs';
import { OUT } from '../command-line/options.ts';
import type { SuggestedCommand } from '../contract/hint.ts';
import { Store } from '../store/store.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isOfOtherStore } from '../tree/build/replaced-tree.ts';
import { openTreeFiles, type TreeFiles } from '../tree/tree-files.ts';

/**
 * Returns the line about the next step after a run that wrote to the store: a build, if the run changed something.
 * @param settings the settings of a new tree that has the addresses of a service
 */
export function nextBuild(terminal: Terminal, storePath: string, hasChanged: boolean, settings: SuggestedCommand['options'] = {}): string {
  if (!hasChanged) return 'nothing new: the store has the same records and accounts as before';
  const out = terminal.io.env['PALIMPSEST_OUT'] || OUT.default;
  // a build keeps the settings of the tree
  if (!existsSync(out)) return `next: ${terminal.command('build', settings)}`;
  if (!isTreeOfOther(out, storePath)) return `next: ${terminal.command('build')}`;
  return `next, into a new folder, because the tree in ${out} is of another store: ${terminal.command('build', { '--out': 'FOLDER' })}`;
}

function isTreeOfOther(out: string, storePath: string): boolean {
  let files: TreeFiles;
  try {
    files = openTreeFiles(out);
  } catch {
    // the run has succeeded: the next build reports what is wrong there
    return false;
  }
  const store = Store.open(storePath);
  try {
    return isOfOtherStore(files, store);
  } finally {
    store.close();
    files.close();
  }
}
