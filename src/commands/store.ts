import type { Terminal } from '../terminal.ts';
import type { Program } from './options.ts';
import { declareStoreCheck } from './store-check.ts';

/** Declares the group `store`. */
export function declareStore(program: Program, terminal: Terminal): void {
  const group = program.command('store').summary('look after the store');
  declareStoreCheck(group, terminal);
}
