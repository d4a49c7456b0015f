import type { Terminal } from '../terminal/terminal.ts';
import type { Program } from './options.ts';
import { declareStoreCheck } from './store-check.ts';
import { declareStoreList } from './store-list.ts';
import { declareStorePull } from './store-pull.ts';
import { declareStorePush } from './store-push.ts';

/** Declares the group `store`: commands for the file of a store as a whole. */
export function declareStore(program: Program, terminal: Terminal): void {
  const store = program
    .command('store')
    .summary('check, back up and restore the store')
    .description('Checks, backs up and restores the store.');
  declareStoreCheck(store, terminal);
  declareStorePush(store, terminal);
  declareStorePull(store, terminal);
  declareStoreList(store, terminal);
}
