import type { Values } from '../command-line/commands.ts';
import { Failure } from '../contract/failure.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { isSameFile } from '../contract/files/same-file.ts';
import { Pauses } from '../contract/pauses.ts';
import { writeFiles } from '../export/export-file.ts';
import { ndjson } from '../export/ndjson.ts';
import { toFailure } from '../store/database/store-error.ts';
import { Store } from '../store/store.ts';
import { number, plural, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { refuseInsideTree } from '../tree/existing-tree.ts';

/** Declares the group `export`, with one command per format. */
export async function runExportNdjson(terminal: Terminal, { to, store: storePath }: Values<'export ndjson'>): Promise<void> {
  if (isSameFile(to, storePath)) throw overwritesStore(to);
  if (to !== '-') refuseInsideTree(to);
  const started = performance.now();
  const store = Store.open(storePath);
  try {
    for (const lack of store.incompleteMirrors()) terminal.alert(`the export is not known to be complete: ${lackSentence(lack)}`);
    const { records, accounts } = store.revision;
    const counts = store.accountReader().identityCounts();
    const pauses = new Pauses(terminal.stopSignal, to === '-' ? 'the output is incomplete' : `${to} was not written`);
    const progress = terminal.progress({ export: { label: 'exporting', amount: items('line') } });
    const content = ndjson(store, (done, all) => progress('export', done, all));
    if (to === '-') return await terminal.stream(content, pauses);
    await writeFiles([{ path: to, content }], pauses);
    const took = performance.now() - started;
    terminal.summary({ to, store: storePath, records, accounts, ...counts, milliseconds: Math.round(took) }, [
      `exported ${storePath} to ${to} in ${seconds(took)}`,
      `  records   ${number(records)}`,
      `  accounts  ${number(accounts)}, with ${plural(counts.stable_id_count, 'stable id')} and ${plural(counts.former_handle_count, 'former handle')}`,
      'to restore it into another store:',
      `next: ${terminal.command('import', { '--store': 'copy.db' }, [to])}`,
    ]);
  } catch (error) {
    throw toFailure(storePath, error);
  } finally {
    store.close();
  }
}

function overwritesStore(file: string): Failure {
  return new Failure('usage', `${file} is the store itself`, {
    expected: 'another file for the export',
    found: 'the store',
    hint: 'name another file with --to',
  });
}
