import type { Values } from '../command-line/commands.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { repairStore } from '../store/check/repair.ts';
import { checkStore } from '../store/check/store-check.ts';
import { printable } from '../terminal/printable.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { COMMIT_PHASES } from './tree-state.ts';

/** The maximum number of findings in the text output; --json has more. */
const PRINTED = 20;

export async function runStoreCheck(terminal: Terminal, options: Values<'store check'>): Promise<void> {
  const signal = terminal.stopSignal;
  const check = () =>
    checkStore(options.store, {
      signal,
      onProgress: terminal.progress({
        file: { label: 'checking the file', amount: items('table') },
        content: { label: 'checking the content', amount: items('item') },
      }),
    });
  const repair = () =>
    repairStore(options.store, {
      signal,
      onProgress: terminal.progress({ copy: { label: 'writing the store again', amount: items('item') }, ...COMMIT_PHASES }),
    });
  const checked = await check().catch(withOtherHint);
  const { findings, findingCount } = checked;
  const isRepairable = findings.every(({ repairable }) => repairable);
  const kept = options.repair && findingCount > 0 && isRepairable ? await repair().catch(withOtherHint) : undefined;
  const after = kept === undefined ? checked : await check();
  const { findingCount: left, records, accounts } = after;
  terminal.exitCode = left === 0 ? 0 : 1;
  const milliseconds = terminal.elapsed();
  const result = { store: options.store, records, accounts, findings, findingCount, repaired: kept !== undefined, damagedFile: kept };
  const verdict = findingCount === 0 ? 'no damage' : plural(findingCount, 'finding');
  const outcome = left === 0 ? 'and without damage' : `but a second check has ${plural(left, 'finding')}`;
  // damage of the file ends the check before the accounts
  const isCounted = after.findings.every(({ subject }) => subject !== 'file');
  const contents = isCounted
    ? `${plural(records, 'record')} of ${plural(accounts, 'account')}`
    : `${plural(records, 'record')}; accounts are checked only if the file is not damaged`;
  terminal.summary({ ...result, milliseconds }, [
    ...findings.slice(0, PRINTED).map(({ subject, expected, found }) => printable(`${subject}: expected ${expected}, found ${found}`)),
    findingCount > PRINTED && `  and ${number(findingCount - PRINTED)} more (--json has the first ${number(findings.length)})`,
    `checked ${options.store} in ${seconds(milliseconds)}: ${verdict}`,
    `  contents  ${contents}`,
    kept !== undefined && `  repaired  the store is written again, ${outcome}; the damaged file is kept as ${kept}`,
    left > 0 && nextStep(isRepairable, terminal),
  ]);
}

/** Replaces the hint of other commands, which is to run this command. @throws Failure that of the command */
function withOtherHint(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'bad-store') throw error;
  const hint = 'restore a copy of the store, or import an export, a tree or a web archive into a new store; nothing was changed';
  throw error.with({ hint });
}

function nextStep(isRepairable: boolean, terminal: Terminal): string {
  return isRepairable
    ? `next: ${terminal.command('store check', { '--repair': true })}`
    : 'next: import the records or accounts listed above again with --on-conflict replace, or restore a copy of the store';
}
