import type { HandleOfRow } from '../../store/accounts/stored-accounts.ts';
import { byteText } from '../markup.ts';
import type { UnframedFile } from '../page-frame.ts';
import { accountPlace, folderOf, nameIn } from '../paths.ts';

/** The accounts that changed since a revision. */
export interface ChangedAccounts {
  readonly since: number;
  /** Their present and former handles. */
  readonly handles: ReadonlySet<string>;
  /** The same handles by the number of the folder with their files. */
  readonly folders: ReadonlyMap<number, readonly HandleOfRow[]>;
}

/** Groups the handles of the accounts that changed since a revision. */
export function changedAccounts(since: number, all: readonly HandleOfRow[]): ChangedAccounts {
  const folders = new Map<number, HandleOfRow[]>();
  for (const each of all) {
    const folder = folderOf(byteText(each.handle));
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [each]);
    else known.push(each);
  }
  return { since, handles: new Set(all.map(({ handle }) => handle)), folders };
}

/**
 * Yields the present files of a folder. Only those of the accounts that changed are read and rendered: each of them has files already.
 * @param paths the files of the folder, in order
 * @param filesOf yields the files of an account
 */
export function* changedFiles(
  paths: Iterable<string>,
  changed: readonly HandleOfRow[],
  filesOf: (account: HandleOfRow) => Iterable<UnframedFile>,
): Generator<UnframedFile> {
  const accounts = new Map(changed.map((account) => [accountPlace(byteText(account.handle)).name, account]));
  const rendered = new Set<HandleOfRow>();
  for (const path of paths) {
    const account = accounts.get(nameIn(path));
    if (account === undefined) yield { path, render: undefined };
    else if (!rendered.has(account)) {
      rendered.add(account);
      yield* filesOf(account);
    }
  }
  if (rendered.size < accounts.size) throw new Error('the manifest lists no page of an account that changed');
}
