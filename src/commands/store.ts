import type { Terminal } from '../terminal.ts';
import type { Program } from './options.ts';
import { declareStoreCheck } from './store-check.ts';
import { declareStoreList } from './store-list.ts';
import { declareStorePull } from './store-pull.ts';
import { declareStorePush } from './store-push.ts';

/** The commands that take care of a store's file as a whole. */
export function declareStore(program: Program, terminal: Terminal): void {
  const store = program
    .command('store')
    .summary('check the store, keep copies of it')
    .description('Checks the store and keeps copies of it.');
  declareStoreCheck(store, terminal);
  declareStorePush(store, terminal);
  declareStorePull(store, terminal);
  declareStoreList(store, terminal);
}
