import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { CONFLICT_POLICIES } from '../contract/conflict-policy.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { parseBaseUrl } from '../contract/site.ts';
import type { MirrorResult } from '../mirror/mirror.ts';
import { USER_AGENT } from '../mirror/user-agent.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { COMMIT_PHASES } from './commit-phases.ts';
import { excludedLine } from './import.ts';
import { nextBuild } from './next-build.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';

/** How many gaps are printed for people; --json has all. */
const PRINTED = 10;

export function declareMirror(program: Program, terminal: Terminal): void {
  program
    .command('mirror')
    .summary('read a live service, or another tree, into the store')
    .description(
      'Reads both collections of a live service, or of a palimpsest tree on any host, into the store. Later runs read only ' +
        'new items. An interrupted run resumes at the same page. Exits with 1 if the store still lacks items of the service.',
    )
    .argument('<base-url>', 'the address of the service; rest/ is below it')
    .addOption(
      new Option('--store <file>', 'the store; created if it does not exist')
        .env('PALIMPSEST_STORE')
        .argParser(path)
        .default(DEFAULT_STORE),
    )
    .addOption(
      new Option('--delay <time>', 'the time from the start of one request to the start of the next, such as 500ms, 1s or 2m')
        .env('PALIMPSEST_DELAY')
        .argParser(duration)
        .default('1s'),
    )
    .addOption(
      new Option('--concurrency <n>', 'how many requests run at the same time')
        .env('PALIMPSEST_CONCURRENCY')
        .argParser(wholeNumber(1, 256))
        .default(1),
    )
    .addOption(
      new Option('--user-agent <text>', 'the User-Agent of the requests')
        .env('PALIMPSEST_USER_AGENT')
        .argParser(headerText)
        .default(USER_AGENT),
    )
    .addOption(new Option('--full', 'read all pages: this finds items that were changed or removed in the service').env('PALIMPSEST_FULL'))
    .addOption(
      new Option('--warc <file>', 'append every request and response to a WARC, named .warc or .warc.gz')
        .env('PALIMPSEST_WARC')
        .argParser(warcFile),
    )
    .addOption(
      new Option('--on-conflict <policy>', 'what to do if the service has a record with the same id and other content')
        .env('PALIMPSEST_ON_CONFLICT')
        .choices(CONFLICT_POLICIES)
        .default('replace' as const),
    )
    .addOption(new Option('--delete', 'delete from the store what the service no longer has').env('PALIMPSEST_DELETE'))
    .addOption(
      new Option(
        '--max-delete <limit>',
        'refuse to delete more items than this: a number, or a percentage of the items that the service had',
      )
        .env('PALIMPSEST_MAX_DELETE')
        .argParser(limit)
        .default({ share: 0.1 }, '10%'),
    )
    .addOption(
      new Option('--rejects <file>', 'write rejected items to this file (by default a file beside the store)')
        .env('PALIMPSEST_REJECTS')
        .argParser(path),
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest mirror https://history.example.org', 'everything the first time, then only new items'],
        ['palimpsest mirror https://history.example.org --delay 5s', 'slower'],
        ['palimpsest mirror https://history.example.org --warc 2026-01-31.warc.gz', 'also keep the requests and responses'],
        ['palimpsest mirror https://history.example.org --full --delete', 'also find corrections and removals, for example once a month'],
      ),
    )
    .action(async (address, options) => {
      terminal.setOutput(options);
      const [{ mirror }, { WarcRecorder }, { RejectsFile }, { Store }, { mkdirp, removeEmptyFolders }, { wrapErrors }] = await Promise.all([
        import('../mirror/mirror.ts'),
        import('../mirror/warc-recorder.ts'),
        import('../sources/rejects.ts'),
        import('../store/store.ts'),
        import('../store/mkdirp.ts'),
        import('../store/store-error.ts'),
      ]);
      if (existsSync(address)) throw isLocal(address);
      const baseUrl = parseBaseUrl(address, 'argument base-url');
      const warc = options.warc === undefined ? undefined : await WarcRecorder.open(options.warc, baseUrl, options.userAgent);
      // the rejects file is beside the store, which may be the first one
      const folders = options.rejects === undefined ? wrapErrors(options.store, () => mkdirp(dirname(options.store))) : [];
      const rejectsPath = options.rejects ?? `${options.store}-rejects.ndjson`;
      const rejects = new RejectsFile(rejectsPath, [options.store]);
      const started = performance.now();
      try {
        const result = await mirror({
          store: options.store,
          baseUrl,
          userAgent: options.userAgent,
          delay: millisecondsOf(options.delay),
          concurrency: options.concurrency,
          isFull: options.full === true,
          onConflict: options.onConflict,
          maxDelete: options.delete ? options.maxDelete : undefined,
          onReject: (inputError) => rejects.add(inputError),
          beforeCommit: () => rejects.append(),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({
            version: { label: 'fetching the current version', amount: size },
            data: { label: 'reading the feed', amount: items('page') },
            account: { label: 'reading the accounts', amount: items('page') },
            import: { label: 'importing', amount: items('page') },
            ...COMMIT_PHASES,
          }),
          record: warc?.record,
          onRetry: (reason, pause) => terminal.warn(`${reason}: retrying in ${seconds(pause)}`),
        });
        rejects.keep();
        const store = Store.open(options.store);
        const { records, accounts } = store.revision;
        store.close();
        const milliseconds = Math.round(performance.now() - started);
        terminal.exitCode = result.isComplete ? 0 : 1;
        warnOf(terminal, result, rejectsPath);
        terminal.summary(
          jsonOf(result, {
            base_url: baseUrl,
            warc: options.warc,
            store: { path: options.store, records, accounts },
            rejects: rejectsPath,
            milliseconds,
          }),
          [
            `mirrored ${baseUrl} in ${seconds(milliseconds)}${result.isResumed ? ', resumed after an interruption' : ''}`,
            `  pages     ${number(result.pages.read)} read${result.isTree ? ', each compared with the manifest' : ''}, with ${plural(result.requests.all, 'request')} and ${size(result.bytes)}`,
            `  records   ${number(result.records.added)} new, ${number(result.changed.length)} changed, ${number(result.gone.data.length)} gone from the service`,
            `  accounts  ${number(result.accounts.added)} new, ${number(result.accounts.replaced)} changed, ${number(result.gone.account.length)} gone from the service`,
            ...excludedLine(result.records.excluded, result.accounts.excluded),
            `  store     ${options.store} has ${plural(records, 'record')} of ${plural(accounts, 'account')}`,
            await nextBuild(terminal, isChanged(result)),
          ],
        );
      } finally {
        rejects.discard();
        await warc?.close();
        removeEmptyFolders(folders);
      }
    });
}

function isChanged({ records, accounts, changed, deleted }: MirrorResult): boolean {
  return records.added + accounts.added + accounts.replaced + changed.length + deleted.records + deleted.accounts > 0;
}

function jsonOf(result: MirrorResult, facts: { readonly [name: string]: unknown; readonly rejects: string }): object {
  const { isComplete, isResumed, isTree, gone, rejected, missing, ...rest } = result;
  const { isCountUnstable, ...what } = missing;
  return {
    ...facts,
    complete: isComplete,
    resumed: isResumed,
    tree: isTree,
    ...rest,
    missing: { ...what, count_unstable: isCountUnstable },
    removed_from_service: { records: gone.data, accounts: gone.account },
    rejected,
    rejects: rejected === 0 ? undefined : facts.rejects,
  };
}

/** Warns about missing, removed and rejected items. */
function warnOf(terminal: Terminal, { isComplete, missing, gone, deleted, rejected }: MirrorResult, rejectsPath: string): void {
  if (rejected > 0) terminal.alert(`${plural(rejected, 'item')} rejected, listed with the reason in ${rejectsPath}`);
  const left = gone.data.length + gone.account.length - deleted.records - deleted.accounts;
  if (left > 0)
    terminal.warn(
      `the service no longer has ${plural(left, 'item')} of the store; ${isComplete ? '--delete deletes such items' : 'only a complete mirror deletes such items'}`,
    );
  if (isComplete) return;
  terminal.alert(`this mirror is not complete: it lacks ${plural(missing.records, 'record')} and ${plural(missing.accounts, 'account')}`);
  if (missing.isCountUnstable) terminal.warn('  the service changed so often that its count and the known items never agreed');
  for (const { url, reason, newer, older } of missing.gaps.slice(0, PRINTED)) {
    terminal.warn(
      `  ${url}: ${reason ?? 'records may have been skipped before it'}, between ${newer === null ? 'the top' : `record ${newer}`} and ${older === null ? 'the end' : `record ${older}`} of the feed`,
    );
  }
  for (const { url, reason } of missing.pages.slice(0, PRINTED)) terminal.warn(`  ${url}: ${reason}`);
  terminal.warn('next: mirror again; the next run reads only missing and new items');
}

function isLocal(address: string): Failure {
  return new Failure('usage', `${address} is a file or folder on this machine`, {
    place: { field: 'argument base-url' },
    expected: 'the address of a service or tree, such as https://history.example.org',
    found: 'a path that exists',
    hint: hint`read files on this machine with ${suggested('import', {}, [address])}`,
  });
}

const TIME = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/;
const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000 };

/** A time: `500ms`, `1s`, `2m`, or seconds without a unit. */
function duration(text: string): string {
  if (TIME.test(text)) return text;
  throw new InvalidArgumentError('Expected a time such as 500ms, 1s or 2m.');
}

function millisecondsOf(time: string): number {
  const [, value, unit = 's'] = TIME.exec(time) ?? [];
  return Number(value) * (UNITS[unit] ?? 1000);
}

/** A file name that says whether the WARC is compressed. */
function warcFile(text: string): string {
  if (/\.warc(\.gz)?$/i.test(text)) return path(text);
  throw new InvalidArgumentError('Expected a name that ends in .warc or .warc.gz.');
}

/** What can be sent as a header's value. */
function headerText(text: string): string {
  if (/^[!-~]([ -~]*[!-~])?$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a line of printable ASCII, such as "example-archive/1.0 (+https://archive.example)".');
}

/** A number of items, or a share such as `10%`. */
function limit(text: string): { readonly most: number } | { readonly share: number } {
  const match = /^(\d{1,9})(%?)$/.exec(text);
  if (match === null || (match[2] === '%' && Number(match[1]) > 100)) {
    throw new InvalidArgumentError('Expected a number of items, or a percentage such as 10%.');
  }
  return match[2] === '%' ? { share: Number(match[1]) / 100 } : { most: Number(match[1]) };
}
