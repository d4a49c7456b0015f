import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { ArchiveOptions } from '../archive/warc.ts';
import type { Values } from '../command-line/commands.ts';
import type { Given } from '../command-line/spec.ts';
import { number, plural, seconds, size } from '../contract/amounts.ts';
import { stopped } from '../contract/event-loop-pauses.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { identities } from '../export/ndjson.ts';
import { removedInTree } from '../publish/planning/guards.ts';
import { countRemoved } from '../publish/trees/removed-at-target.ts';
import type { IdentityCounts } from '../store/accounts/account-reader.ts';
import { exclusionsOf } from '../store/exclusions/named-exclusions.ts';
import { Store } from '../store/store.ts';
import { items } from '../terminal/progress.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import { refuseInsideTree } from '../tree/existing-tree.ts';
import { openVerified, type VerifiedTree } from '../tree/verified-tree.ts';
import { alertOlder, refuseOtherState, stateAt, storeOfRemovals } from './tree-state.ts';

const COMPLETE = { '--require-complete': true } as const;

type Write = (tree: VerifiedTree, to: string, options: ArchiveOptions) => Promise<void>;

export async function runArchiveWacz(terminal: Terminal, values: Values<'archive wacz'>, given: Given): Promise<void> {
  await archive(terminal, values, given, (await import('../archive/wacz.ts')).writeWacz);
}

export async function runArchiveWarc(terminal: Terminal, values: Values<'archive warc'>, given: Given): Promise<void> {
  await archive(terminal, values, given, (await import('../archive/warc.ts')).writeWarc);
}

export async function runArchiveBag(terminal: Terminal, values: Values<'archive bag'>, given: Given): Promise<void> {
  const { writeBag } = await import('../archive/bag.ts');
  await archive(terminal, values, given, (tree, to, options) =>
    writeBag(tree, to, { ...options, bagInfo: values.bagInfo, dryRun: values.dryRun }),
  );
}

/** @param write writes one form of archive */
async function archive(
  terminal: Terminal,
  { to, out, dryRun, ...options }: Values<'archive wacz'> & { readonly dryRun?: boolean },
  given: Given,
  write: Write,
): Promise<void> {
  refuseInsideTree(to);
  const progress = terminal.progress({ archive: { label: 'archiving', amount: items('file') } });
  const signal = terminal.stopSignal;
  let read = 0;
  const tree = openVerified(out);
  const { base_url, records, accounts, data_pages, account_pages, browse_files, incomplete } = tree.build;
  let { stable_id_count = 0, former_handle_count = 0 } = tree.build;
  const onProgress = (done: number, all: number, bytes: number) => {
    if (signal.aborted) throw stopped(`${to} was not written`);
    progress('archive', done, all);
    read = bytes;
  };
  let store: Store | undefined;
  try {
    if (options.identities) {
      store = Store.open(options.store);
      refuseOtherState(store, out, tree.build.store);
      ({ stable_id_count, former_handle_count } = store.accountReader().identityCounts());
    }
    const compared = storeOfRemovals(terminal, options.store, given);
    const of = stateAt(compared, tree.build);
    const removed = compared === undefined || of === 'current' ? 0 : countRemoved(tree, exclusionsOf(compared, []));
    if (removed > 0) throw removedInTree({ accounts: removed, of });
    if (of === 'earlier') alertOlder(terminal, out, options.store);
    await write(tree, to, { threads: availableParallelism(), identities: store && identities(store), onProgress });
  } finally {
    tree.files.close();
    store?.close();
  }
  for (const lack of tree.build.incomplete ?? []) terminal.alert(`the archive is not known to be complete: ${lackSentence(lack)}`);
  const milliseconds = terminal.elapsed();
  const facts = {
    ...{ to, out, base_url, records, accounts, data_pages, account_pages, browse_files, incomplete },
    ...{ stable_id_count, former_handle_count, identities: options.identities, page_bytes: read, dryRun, milliseconds },
  };
  const isFile = !dryRun && statSync(to).isFile();
  const compared = dryRun ? '' : ', each compared with the manifest';
  terminal.summary({ ...facts, bytes: isFile ? statSync(to).size : undefined }, [
    dryRun ? `dry run: what would be written to ${to}` : `archived the tree in ${out} in ${seconds(milliseconds)}`,
    `  pages     ${number(data_pages)} of the feed, ${number(account_pages)} of the accounts${compared}`,
    browse_files !== undefined && `  HTML      ${plural(browse_files, 'file')}${compared}`,
    `  content   ${plural(records, 'record')} of ${plural(accounts, 'account')} at ${base_url}`,
    identityLine({ stable_id_count, former_handle_count }, options.identities),
    ...(dryRun
      ? ['nothing was written: run again without --dry-run to write the archive']
      : [
          `  archive   ${to}${isFile ? `, ${size(statSync(to).size)}` : ''}`,
          `to check ${incomplete === undefined ? 'that the archive is complete' : 'the archive'}, import it into a new store:`,
          `next: ${terminal.command('import', { '--store': 'copy.db', ...(incomplete === undefined && COMPLETE) }, [to])}`,
        ]),
  ]);
}

/** Says whether the archive has the stable ids and former handles of the store. */
function identityLine({ stable_id_count, former_handle_count }: IdentityCounts, isAdded: boolean): Line {
  const counts = `${plural(stable_id_count, 'stable id')} and ${plural(former_handle_count, 'former handle')}`;
  if (isAdded) return `  accounts  with ${counts}`;
  if (stable_id_count + former_handle_count === 0) return false;
  return `note: the archive lacks ${counts}, so a restored store would take a renamed account for a new one; to add them, use --identities`;
}
