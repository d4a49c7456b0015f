import { Failure } from '../contract/failure.ts';
import type { Instant } from '../contract/instant.ts';
import { isLoopback, parseBaseUrl } from '../contract/site.ts';
import { number, plural, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Encoding } from '../tree/encoding.ts';
import { BASE_URL_REMARKS, warnOfBaseUrl } from './base-url-report.ts';
import { DEFAULT_BASE_URL } from './options.ts';

/** The options of `build` that the composed layout needs. */
interface Options {
  readonly store: string;
  readonly out: string;
  readonly baseUrl?: string | undefined;
  readonly pageSize: number;
  readonly accountPageSize: number;
  readonly compress?: readonly Encoding[] | undefined;
  readonly html?: boolean | undefined;
  readonly builtAt?: Instant | undefined;
  readonly repair?: true | undefined;
}

/**
 * Builds a tree with the composed layout, and reports it.
 * @param started when the command began, by performance.now()
 */
export async function buildComposedTree(terminal: Terminal, options: Options, started: number): Promise<void> {
  refuseCompress(options.compress);
  refuseHtml(options.html);
  const [{ buildComposed }, { chooseBaseUrl }] = await Promise.all([import('../composed/build.ts'), import('../tree/base-url.ts')]);
  const given = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
  const baseUrl = chooseBaseUrl(options.out, given, DEFAULT_BASE_URL);
  const summary = await buildComposed(options.store, {
    out: options.out,
    site: { base_url: baseUrl.url, page_size: options.pageSize, account_page_size: options.accountPageSize },
    time: options.builtAt === undefined ? new Date() : new Date(Math.floor(options.builtAt / 1000)),
    repair: options.repair,
    signal: terminal.stopSignal,
    onProgress: terminal.progress({ chunk: { label: 'chunking', amount: items('item') } }),
  });
  const took = performance.now() - started;
  const { build: head, written, removed, droppedGenerations, dropReason } = summary;
  warnOfBaseUrl(terminal, baseUrl);
  if (dropReason !== null) {
    const dropped = plural(droppedGenerations, 'earlier generation');
    terminal.warn(`${DROP_REASONS[dropReason]}: ${dropped} dropped, ${plural(removed, 'file')} deleted`);
  }
  const { data, account, log, ...rest } = head;
  const build = { ...rest, records: data.count, accounts: account.count, data_root: data.root, account_root: account.root };
  terminal.summary(
    {
      build: { ...build, generations: log.count },
      written,
      removed,
      droppedGenerations,
      dropReason,
      baseUrlFrom: baseUrl.from,
      baseUrlBefore: baseUrl.before,
      out: options.out,
      milliseconds: Math.round(took),
    },
    [
      `built generation ${number(head.generation)} of the tree in ${options.out} in ${seconds(took)}`,
      `  base URL  ${baseUrl.url}${BASE_URL_REMARKS[baseUrl.from]}`,
      `  feed      ${plural(data.count, 'record')}`,
      `  accounts  ${number(account.count)}`,
      `  files     ${number(written)} written, ${number(removed)} removed`,
      `next: ${await terminal.command('serve')}`,
      ...(isLoopback(baseUrl.url) ? [] : [`then: ${await terminal.command('publish', {}, ['TARGET'])}`]),
    ],
  );
}

const DROP_REASONS = {
  'removed-account': 'the store has a newly removed account',
  'damaged-log': 'the log of generations was damaged',
} as const;

/** @throws Failure usage if the layout is not composed and --built-at is given */
export function refuseBuiltAt(builtAt: Instant | undefined): void {
  if (builtAt === undefined) return;
  throw new Failure('usage', '--built-at cannot be used with the static layout', {
    place: { field: '--built-at' },
    expected: '--layout composed, or no --built-at',
    found: 'the static layout',
    hint: 'leave out --built-at: the files of the static layout do not depend on the time',
  });
}

function refuseCompress(encodings: readonly Encoding[] | undefined): void {
  if (encodings === undefined || encodings.length === 0) return;
  throw new Failure('usage', '--compress cannot be used with the composed layout', {
    place: { field: '--compress' },
    expected: '--layout static, or no --compress',
    found: 'the composed layout',
    hint: 'leave out --compress: the host composes each page on request, and can compress it then',
  });
}

function refuseHtml(html: boolean | undefined): void {
  if (html !== true) return;
  throw new Failure('usage', '--html cannot be used with the composed layout', {
    place: { field: '--html' },
    expected: '--layout static, or no --html',
    found: 'the composed layout',
    hint: 'leave out --html, or build a second tree with --layout static --html in another folder: browse files link to pages that are files',
  });
}
