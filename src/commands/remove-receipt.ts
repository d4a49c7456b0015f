import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { handleHash, stableIdHash } from '../contract/accounts/exclusion.ts';
import { Failure } from '../contract/failure.ts';
import { fileHead } from '../contract/files/file-bytes.ts';
import { testWrite, writeFiles } from '../contract/files/write-files.ts';
import { checkLocal, checkObjects, formOf, noCopy } from '../removal/check-copy.ts';
import type { CopyCheck, CopyForm } from '../removal/copy-search.ts';
import type { SearchedAccounts } from '../removal/trace-search.ts';
import { openRemote } from '../storage/remote.ts';
import { parseAccountName } from '../store/accounts/account-search.ts';
import { excludedRows, exclusionsOf } from '../store/exclusions/named-exclusions.ts';
import { filesBeside, type RemoveSummary } from '../store/exclusions/remove.ts';
import { PublishedTarget } from '../store/published-target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { RECEIPT_START, type Receipt, receiptText } from './receipt-text.ts';
import { requestsOf, targetOf } from './target-options.ts';

/** What only a person can search. */
const PLACES = [
  'lists of accounts to fetch, such as the list of a nightly job',
  'rejects files, logs, artifacts and caches of the job',
  'sources, archives, exports, drafts of them, and other copies of the tree or the store',
  'old versions of objects that a bucket keeps, caches of a CDN, and mirrors by other people',
];

/** The size of a receipt without long lists of files, in bytes. */
const TYPICAL_SIZE = 1 << 14;

/** Searches the store, the files beside it and the named copies for accounts that are excluded. */
export async function receiptOf(
  terminal: Terminal,
  options: Values<'remove'>,
  { removed, known, shared }: RemoveSummary,
  now: string,
): Promise<Receipt> {
  const { account: names, store } = options;
  const all = [...names, ...removed.flatMap(({ screen_name, former_handles }) => [screen_name, ...former_handles].map((one) => `@${one}`))];
  const hashes = new Set(all.flatMap(hashesOf));
  const exclusions = exclusionsOf(store, []).filter((one) => [...one.handles, ...one.stable_ids].some((hash) => hashes.has(hash)));
  const excluded = new Set(exclusions.flatMap(({ handles }) => handles));
  const handles = all.flatMap((name) => parseAccountName(name).handle ?? []);
  const accounts: SearchedAccounts = {
    exclusions,
    handles: [...new Set(handles)].filter((handle) => excluded.has(handleHash(handle)) && !shared.includes(handle)),
    sharedHandles: excludedRows(store, exclusions).formerHandles,
    hasRecords: (records) => new PublishedTarget(store, '').hasRecords(records),
  };
  const { stopSignal: signal } = terminal;
  const own = await checkLocal(store, 'store', accounts, signal);
  const others: CopyCheck[] = [];
  for (const file of filesBeside(store)) others.push(await checkLocal(file, 'file', accounts, signal));
  for (const place of options.check ?? []) others.push(await checkPlace(place, accounts, options, terminal));
  // other accounts can mention a handle, and then their data is in the store too
  const isMentioned = own.with_handle.length > 0;
  const isFound = ({ with_account: having, with_handle: naming, form }: CopyCheck) =>
    having.length > 0 || naming.some((path) => !isMentioned || !mayMention(path, form));
  // an exclusion of this run has no handle that is not among the removed ones
  const isNew = (excludedAt: string) => removed.length > 0 && excludedAt >= now;
  const areKnown = exclusions.every((one) => isNew(one.excluded_at) || one.handles.every((hash) => hashes.has(hash)));
  const hasUnknownHandle = accounts.handles.length === 0 || !areKnown;
  // in files of other programs, only a name can be found
  const isUnknown = ({ form }: CopyCheck) => form === 'file' && hasUnknownHandle;
  const checks = [
    { ...own, is_found: own.with_account.length > 0, is_searched: own.unread.length === 0 },
    ...others.map((check) => ({ ...check, is_found: isFound(check), is_searched: check.unread.length === 0 && !isUnknown(check) })),
  ];
  return {
    made_at: now,
    names,
    store,
    excluded_at: exclusions.map(({ excluded_at }) => excluded_at),
    erased: exclusions.every(({ isErased }) => isErased),
    has_unknown_handle: hasUnknownHandle,
    removed: { accounts: removed.length, records: removed.reduce((sum, { records }) => sum + records, 0) },
    known,
    checks,
    found_places: checks.filter((check) => check.is_found).length,
    unsearched_places: checks.filter((check) => !check.is_searched).length,
    remaining: remaining(checks, options, terminal),
    look_at: PLACES,
  };
}

/** Whether a file of a copy can have a handle because another account mentions it: the pages of a site, and stores. */
function mayMention(path: string, form: CopyForm): boolean {
  return form === 'store' || (form !== 'file' && /(?:^|: )(?:rest\/|browse\/(?!search\/)|index\.html)/.test(path));
}

/**
 * Checks the places and the path of the receipt before anything is removed. Also writes a draft of it: a disk can be full.
 * @throws Failure no-source, not-ours, file-system
 */
export async function checkBefore(terminal: Terminal, options: Values<'remove'>): Promise<void> {
  const { check = [], receipt } = options;
  for (const place of check) {
    if (statSync(place, { throwIfNoEntry: false }) !== undefined) continue;
    const target = await targetOf(place, options, terminal);
    try {
      const objects = await openRemote(target, requestsOf(options, terminal)).list('');
      if (objects.length === 0) throw noCopy(target.name);
    } finally {
      target.close();
    }
  }
  if (receipt === undefined) return;
  if (!existsSync(dirname(receipt))) throw cannotWrite(receipt, 'no-source', 'a path in a folder that exists', 'no such folder');
  if (existsSync(receipt) && !isReceipt(receipt)) throw cannotWrite(receipt, 'not-ours', 'a new file, or a receipt', 'another file');
  await testWrite({ path: receipt, content: [Buffer.alloc(TYPICAL_SIZE)] }, '--receipt').catch((error: unknown) => {
    throw error instanceof Failure ? error.with({ hint: `${error.hint}; nothing was changed` }) : error;
  });
}

function cannotWrite(path: string, code: 'no-source' | 'not-ours', expected: string, found: string): Failure {
  return new Failure(code, `a receipt cannot be written to ${path}`, {
    place: { file: path, field: '--receipt' },
    expected,
    found,
    hint: 'choose another path; nothing was changed',
  });
}

function isReceipt(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const start = fileHead(path, RECEIPT_START.length).toString();
  return start === RECEIPT_START || start.startsWith('{\n  "made_at": "');
}

function hashesOf(name: string): readonly string[] {
  const { handle, stableId } = parseAccountName(name);
  return [...(handle === undefined ? [] : [handleHash(handle)]), ...(stableId === undefined ? [] : [stableIdHash(stableId)])];
}

async function checkPlace(place: string, accounts: SearchedAccounts, options: Values<'remove'>, terminal: Terminal): Promise<CopyCheck> {
  const { stopSignal: signal } = terminal;
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) return checkLocal(place, undefined, accounts, signal);
  const target = await targetOf(place, options, terminal);
  try {
    const remote = openRemote(target, requestsOf(options, terminal));
    // a folder can have more than a publish wrote, such as temporary files
    return target.names === undefined
      ? await checkObjects(remote, accounts, options.concurrency)
      : await checkLocal(place, await formOf(remote), accounts, signal);
  } finally {
    target.close();
  }
}

/** Returns the copies that have the account, and those that were not searched, each with the command that updates it. */
function remaining(checks: Receipt['checks'], options: Values<'remove'>, terminal: Terminal): Receipt['remaining'] {
  const { account: names, check = [], receipt } = options;
  const commandOf = (form: CopyForm, place: string | undefined): string | null => {
    const target = [place ?? 'TARGET'];
    if (form === 'tree') return terminal.command('build', { '--out': place ?? 'TREE' });
    if (form === 'pages') return terminal.command('publish', { '--allow-gaps': true }, target);
    if (form === 'site') return terminal.command('publish', { '--out': 'ZIP' }, target);
    return form === 'store' ? terminal.command('store push', { '--keep-last': 1 }, target) : null;
  };
  // removes what a mirror remembers of the account, and searches the store again
  const again = terminal.command('remove', { '--check': check, ...(receipt === undefined ? {} : { '--receipt': receipt }) }, names);
  const found = checks
    .filter((one) => one.is_found || !one.is_searched)
    .map((found) => ({
      copy: found.is_found ? found.place : `${found.place} (not searched completely)`,
      is_found: found.is_found,
      command: found === checks[0] ? again : commandOf(found.form, found.place),
    }));
  const searched = new Set<CopyForm>(checks.slice(1).map(({ form }) => (form === 'site' ? 'pages' : form)));
  const others: readonly { readonly form: CopyForm; readonly copy: string }[] = [
    { form: 'tree', copy: 'the tree' },
    { form: 'pages', copy: 'the published site' },
    { form: 'store', copy: 'backups of the store' },
  ];
  const missed = others.filter(({ form }) => !searched.has(form));
  return [
    ...found,
    ...missed.map(({ form, copy }) => ({ copy: `${copy} (not searched)`, is_found: false, command: commandOf(form, undefined) })),
  ];
}

/** Writes a receipt to a file, as JSON if its name ends in `.json`. */
export async function writeReceipt(path: string, receipt: Receipt): Promise<void> {
  const text = path.toLowerCase().endsWith('.json') ? `${JSON.stringify(receipt, null, 2)}\n` : receiptText(receipt);
  await writeFiles([{ path, content: [text] }], undefined, '--receipt');
}
