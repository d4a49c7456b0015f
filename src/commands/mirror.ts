import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { number, plural, seconds, size } from '../contract/amounts.ts';
import { parseBaseUrl } from '../contract/base-url.ts';
import { Failure } from '../contract/failure.ts';
import { lackIn, lackSentence } from '../contract/files/incomplete-mirror.ts';
import { mkdirp, removeEmptyFolders } from '../contract/files/mkdirp.ts';
import { hint, suggested } from '../contract/hint.ts';
import { type MirrorResult, mirror } from '../mirror/mirror.ts';
import { WarcRecorder } from '../mirror/warc-recorder.ts';
import { RejectsFile } from '../sources/rejects/rejects-file.ts';
import { wrapErrors } from '../store/database/store-error.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nextBuild } from './next-step.ts';
import { COMMIT_PHASES, withStore } from './tree-state.ts';

/** How many gaps are printed for people; --json has all. */
const PRINTED = 10;

export async function runMirror(terminal: Terminal, options: Values<'mirror'>): Promise<void> {
  if (existsSync(options.baseUrl)) throw isLocal(options.baseUrl);
  const baseUrl = parseBaseUrl(options.baseUrl, 'argument base-url');
  const warc = options.warc === undefined ? undefined : await WarcRecorder.open(options.warc, baseUrl, options.userAgent);
  // the rejects file is beside the store, which may be the first one
  const folders = options.rejects === undefined ? wrapErrors(options.store, () => mkdirp(dirname(options.store))) : [];
  const rejectsPath = options.rejects ?? `${options.store}-rejects.ndjson`;
  const rejects = new RejectsFile(rejectsPath, [options.store]);
  const onProgress = terminal.progress({
    version: { label: 'fetching the current version', amount: bytes },
    data: { label: 'reading the feed', amount: items('page') },
    account: { label: 'reading the accounts', amount: items('page') },
    import: { label: 'importing', amount: items('page') },
    ...COMMIT_PHASES,
  });
  // the first answer can take long
  onProgress('data', 0, 0);
  try {
    const result = await mirror({
      ...options,
      baseUrl,
      isFull: options.full,
      maxDelete: options.delete ? options.maxDelete : undefined,
      onReject: (inputError) => rejects.add(inputError),
      beforeCommit: () => rejects.append(),
      signal: terminal.stopSignal,
      onProgress,
      record: warc?.record,
      onSlow: (url, bytes, time) => terminal.warn(`${url}: ${size(bytes)} after ${seconds(time)}, waiting for the rest`),
      onRetry: (reason, pause) => terminal.warn(`${reason}: retrying in ${seconds(pause)}`),
    });
    rejects.keep();
    const { records, accounts } = withStore(options.store, ({ revision }) => revision);
    const milliseconds = terminal.elapsed();
    // a page can be shorter than the others if items are missing
    const pageSizes = result.isRead ? result.pageSizes : { data: undefined, account: undefined };
    // a nightly job that read everything must not fail because items were rejected or the service itself lacks some
    terminal.exitCode = result.isRead ? 0 : 1;
    warnOf(terminal, result, rejectsPath);
    terminal.summary(
      jsonOf(result, {
        base_url: baseUrl,
        warc: options.warc,
        store: options.store,
        records,
        accounts,
        rejects: rejectsPath,
        milliseconds,
      }),
      [
        `mirrored ${baseUrl} in ${seconds(milliseconds)}${result.isResumed ? ', resumed after an interruption' : ''}`,
        `  pages     ${number(result.pages.read)} read${result.isTree ? ', each compared with the manifest' : ''}, with ${plural(result.requests.all, 'request')} and ${size(result.bytes)}`,
        `  records   ${number(result.records.added)} new, ${number(result.changed.length)} changed, ${number(result.removed.data.length)} removed from the service`,
        `  accounts  ${number(result.accounts.added)} new, ${number(result.accounts.replaced)} changed, ${number(result.removed.account.length)} removed from the service`,
        result.records.excluded + result.accounts.excluded > 0 &&
          `  excluded  ${plural(result.records.excluded, 'record')} and ${plural(result.accounts.excluded, 'account')}, removed before`,
        `  store     ${options.store} has ${plural(records, 'record')} of ${plural(accounts, 'account')}`,
        nextBuild(terminal, options.store, isChanged(result), { baseUrl, pageSizes }),
      ],
    );
  } finally {
    rejects.discard();
    await warc?.close();
    removeEmptyFolders(folders);
  }
}

function isChanged({ records, accounts, changed, deleted, areReportsChanged }: MirrorResult): boolean {
  return areReportsChanged || records.added + accounts.added + accounts.replaced + changed.length + deleted.records + deleted.accounts > 0;
}

function jsonOf(result: MirrorResult, facts: { readonly [name: string]: unknown; readonly rejects: string }): object {
  const { isCountUnstable: countUnstable, pages: unreadPages, ...what } = result.missing;
  return {
    ...facts,
    complete: result.isComplete,
    completeAt: result.completeAt,
    resumed: result.isResumed,
    tree: result.isTree,
    pagesByOutcome: result.pages,
    requests: result.requests,
    bytes: result.bytes,
    recordsByOutcome: result.records,
    accountsByOutcome: result.accounts,
    changedIds: result.changed,
    goneFromService: { recordIds: result.removed.data, screenNames: result.removed.account },
    deletedFromStore: result.deleted,
    missing: { ...what, countUnstable, unreadPages },
    incomplete: result.inherited,
    unreadPages: result.unread,
    rejected: result.rejected,
    rejectedInAll: result.rejectedInAll,
    rejects: result.rejected === 0 ? undefined : facts.rejects,
  };
}

/** Warns about missing, removed and rejected items. */
function warnOf(terminal: Terminal, result: MirrorResult, rejectsPath: string): void {
  const { isRead, isComplete, completeAt, missing, report, inherited, unread, removed, deleted, rejected, rejectedInAll } = result;
  if (rejected > 0) terminal.alert(`${plural(rejected, 'item')} rejected, listed with the reason in ${rejectsPath}`);
  const left = removed.data.length + removed.account.length - deleted.records - deleted.accounts;
  if (left > 0) {
    const ids = removed.data.length === 0 ? '' : `, such as the records ${removed.data.slice(0, PRINTED).join(', ')}`;
    const deletes = isRead ? 'to delete such items, run with --delete' : 'a mirror that is not complete does not delete such items';
    terminal.warn(`the service no longer has ${plural(left, 'item')} of the store${ids}; ${deletes}`);
  }
  for (const { url, reason } of unread.slice(0, PRINTED)) terminal.warn(`${url}: ${reason}; other pages have its items`);
  for (const lack of inherited) terminal.alert(`the service is not known to be complete: ${lackSentence(lack)}`);
  if (rejectedInAll > 0) {
    terminal.alert(
      `this mirror is not complete: the service shows ${plural(rejectedInAll, 'item')} that this run or an earlier one rejected; --full counts them again`,
    );
  }
  if (!isComplete && completeAt !== null) terminal.warn(`the last complete run ended at ${completeAt}`);
  if (isRead) return;
  const lack = lackIn(report);
  terminal.alert(lack === undefined ? 'this mirror is not known to be complete' : `this mirror is not complete: it lacks ${lack}`);
  const { records, accounts } = missing.uncounted;
  if (records + accounts > 0) {
    terminal.warn(
      `  its pages showed ${plural(records, 'record')} and ${plural(accounts, 'account')} more than the service counts now, so its count cannot prove that nothing is missing`,
    );
  }
  if (missing.isCountUnstable) terminal.warn('  the service changed so often that its count and the known items never agreed');
  for (const { url, reason, newer, older } of missing.gaps.slice(0, PRINTED)) {
    terminal.warn(
      `  ${url}: ${reason ?? 'records may have been skipped before it'}, between ${newer === null ? 'the top' : `record ${newer}`} and ${older === null ? 'the end' : `record ${older}`} of the feed`,
    );
  }
  for (const { url, reason } of missing.pages.slice(0, PRINTED)) terminal.warn(`  ${url}: ${reason}`);
  const hasFailedPages = records + accounts === 0 && missing.gaps.length + missing.pages.length > 0;
  terminal.warn(
    !hasFailedPages
      ? 'next: mirror again with --full, which reads all pages'
      : 'next: mirror again; the next run reads only missing and new items',
  );
}

function isLocal(address: string): Failure {
  return new Failure('usage', `${address} is a file or folder on this machine`, {
    place: { field: 'argument base-url' },
    expected: 'the address of a service or tree, such as https://history.example.org',
    found: 'a path that exists',
    hint: hint`read files on this machine with ${suggested('import', {}, [address])}`,
  });
}
