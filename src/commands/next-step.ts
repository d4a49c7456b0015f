import { existsSync } from 'node:fs';
import { DEFAULT_BASE_URL, OUT } from '../command-line/shared-options.ts';
import type { SuggestedCommand } from '../contract/hint.ts';
import type { Collection } from '../contract/pages/collection.ts';
import { PAGE_SIZE } from '../contract/site.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isOfOtherStore } from '../tree/build/refuse-loss.ts';
import { openTreeFiles, type TreeFiles } from '../tree/tree-files.ts';
import { withStore } from './tree-state.ts';

/** What pages say about the site that they are of. Undefined if it is unknown. */
export interface KnownSite {
  readonly baseUrl: string | undefined;
  /** The number of items on a full page. */
  readonly pageSizes: { readonly [C in Collection]: number | undefined };
}

/**
 * Returns the line about the next step after a run that wrote to the store: a build, if the run changed something.
 * @param site what the pages that were read say: a new tree gets the same links and pages
 */
export function nextBuild(terminal: Terminal, storePath: string, hasChanged: boolean, site?: KnownSite): string {
  if (!hasChanged) return 'nothing new: the store has the same records and accounts as before';
  const { env } = terminal.io;
  const out = env['PALIMPSEST_OUT'] || OUT.default;
  const isNew = !existsSync(out);
  // a build keeps the settings of the tree
  if (!isNew && !isTreeOfOther(out, storePath)) return `next: ${terminal.command('build')}`;
  const settings = site === undefined ? {} : optionsOf(site, env['PALIMPSEST_BASE_URL']);
  if (!isNew) {
    const command = terminal.command('build', { ...settings, '--out': 'FOLDER' });
    return `next, into a new folder, because the tree in ${out} is of another store: ${command}`;
  }
  const note = '--base-url' in settings ? ', with the address of the service (change it if you publish elsewhere)' : '';
  return `next${note}: ${terminal.command('build', settings)}`;
}

/** @param chosen the base URL that the user has set for all builds */
function optionsOf({ baseUrl, pageSizes: { data, account } }: KnownSite, chosen: string | undefined): SuggestedCommand['options'] {
  return {
    ...(baseUrl !== undefined && baseUrl !== DEFAULT_BASE_URL && chosen === undefined && { '--base-url': baseUrl }),
    ...(data !== undefined && data !== PAGE_SIZE && { '--page-size': data }),
    ...(account !== undefined && account !== PAGE_SIZE && { '--account-page-size': account }),
  };
}

function isTreeOfOther(out: string, storePath: string): boolean {
  let files: TreeFiles;
  try {
    files = openTreeFiles(out);
  } catch {
    // the run has succeeded: the next build reports what is wrong there
    return false;
  }
  try {
    return withStore(storePath, (store) => isOfOtherStore(files, store));
  } finally {
    files.close();
  }
}
