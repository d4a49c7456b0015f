import type { Terminal } from '../terminal.ts';
import type { Program } from './options.ts';
import { declareStoreList } from './store-list.ts';
import { declareStorePull } from './store-pull.ts';
import { declareStorePush } from './store-push.ts';

/** The commands that take care of a store's file as a whole. */
export function declareStore(program: Program, terminal: Terminal): void {
  const store = program.command('store').summary('keep copies of the store').description('Keeps copies of the store.');
  declareStorePush(store, terminal);
  declareStorePull(store, terminal);
  declareStoreList(store, terminal);
}
