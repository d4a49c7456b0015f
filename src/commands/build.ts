import { join } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isLoopback, parseBaseUrl } from '../contract/site.ts';
import { number, plural, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { BuildSummary } from '../tree/build.ts';
import { ENCODINGS, type Encoding } from '../tree/encoding.ts';
import { BASE_URL_REMARKS, warnOfBaseUrl } from './base-url-report.ts';
import {
  DEFAULT_BASE_URL,
  DEFAULT_OUT,
  DEFAULT_STORE,
  examples,
  JSON_HELP,
  type Program,
  path,
  QUIET_HELP,
  wholeNumber,
} from './options.ts';

const LARGEST_PAGE = 100_000;

export function declareBuild(program: Program, terminal: Terminal): void {
  program
    .command('build')
    .summary('write every page of both collections as files')
    .description(
      'Writes every page of /rest/data/ and /rest/account/ as an index.json file, with a manifest of their SHA-256. Writes only ' +
        'files whose content changed, and removes pages that no longer exist.',
    )
    .addOption(new Option('--store <file>', 'the store to build from').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(
      new Option('--out <path>', 'the folder for the tree, or a ZIP: a new path that ends in .zip, or a file')
        .env('PALIMPSEST_OUT')
        .argParser(path)
        .default(DEFAULT_OUT),
    )
    .addOption(
      new Option(
        '--base-url <url>',
        'the public address of the site; rest/ is below it (default: the base URL of the last build in --out, or ' +
          `"${DEFAULT_BASE_URL}" for a new tree)`,
      ).env('PALIMPSEST_BASE_URL'),
    )
    .addOption(
      new Option('--page-size <n>', 'change records per page')
        .env('PALIMPSEST_PAGE_SIZE')
        .argParser(wholeNumber(1, LARGEST_PAGE))
        .default(100),
    )
    .addOption(
      new Option('--account-page-size <n>', 'accounts per page')
        .env('PALIMPSEST_ACCOUNT_PAGE_SIZE')
        .argParser(wholeNumber(1, LARGEST_PAGE))
        .default(100),
    )
    .addOption(
      new Option(
        '--compress <encodings>',
        'also write compressed copies of each page: gzip, brotli, gzip,brotli or none (default: as the last build in --out)',
      )
        .env('PALIMPSEST_COMPRESS')
        .argParser(encodingsIn),
    )
    .addOption(
      new Option(
        '--html',
        'also write browse files: pages and feeds for people, beside the JSON (default: as the last build in --out)',
      ).env('PALIMPSEST_HTML'),
    )
    .addOption(new Option('--no-html', 'write no browse files, and remove those of the last build').env('PALIMPSEST_NO_HTML'))
    .addOption(
      new Option('--repair', 'read all files of the tree instead of trusting the manifest, and rewrite those that differ').env(
        'PALIMPSEST_REPAIR',
      ),
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest build', 'build a tree for palimpsest serve, or update the tree in out'],
        ['palimpsest build --base-url https://example.org', 'a tree for a site at the root of its host'],
        ['palimpsest build --base-url https://example.org/api --out public', 'a tree for a site below /api, in the folder public'],
        ['palimpsest build --out history.zip', 'the same files in one ZIP, also for publish with versions'],
        ['palimpsest build --html', 'also writes a home page, index.html, and pages for people that work without a server'],
        ['palimpsest build --base-url https://example.org --compress gzip,brotli', 'also writes a .gz and a .br file for each page'],
      ),
    )
    .action(async (options) => {
      terminal.setOutput(options);
      const started = performance.now();
      const [{ build }, { chooseBaseUrl }, { formOf }] = await Promise.all([
        import('../tree/build.ts'),
        import('../tree/base-url.ts'),
        import('../tree/tree-files.ts'),
      ]);
      const isZip = formOf(options.out) === 'zip';
      const given = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
      const baseUrl = chooseBaseUrl(options.out, given, DEFAULT_BASE_URL);
      const site = { base_url: baseUrl.url, page_size: options.pageSize, account_page_size: options.accountPageSize };
      const summary = await build(options.store, {
        out: options.out,
        site,
        compress: options.compress,
        html: options.html,
        repair: options.repair,
        signal: terminal.stopSignal,
        onProgress: terminal.progress({
          check: { label: 'reading the tree', amount: items('file') },
          render: { label: 'rendering', amount: items('page') },
          browse: { label: 'rendering browse files', amount: items('part') },
          compare: { label: 'comparing with the tree', amount: items('file') },
          exchange: isZip ? { label: 'writing the ZIP', amount: items('file') } : { label: 'replacing files', amount: items('page') },
        }),
      });
      const took = performance.now() - started;
      const tree = summary.build;
      // a ZIP is replaced as a whole
      if (summary.readerGaps && !isZip) {
        terminal.warn(
          'records or accounts moved to earlier pages: if readers use this folder directly, those who followed the next links during ' +
            'the build may have missed some',
        );
      }
      if (summary.unknownBefore !== null) {
        const { records, accounts } = summary.unknownBefore;
        terminal.warn(
          `the tree in ${options.out} was built from data that ${options.store} does not know: ${plural(records, 'record')} of ` +
            `${plural(accounts, 'account')}. If the tree belongs to another store, build it again from that store`,
        );
      }
      const { from: baseUrlFrom, before: baseUrlBefore } = baseUrl;
      warnOfBaseUrl(terminal, baseUrl);
      terminal.summary({ ...summary, baseUrlFrom, baseUrlBefore, out: options.out, milliseconds: Math.round(took) }, [
        `built the tree in ${options.out} in ${seconds(took)}`,
        `  base URL  ${baseUrl.url}${BASE_URL_REMARKS[baseUrlFrom]}`,
        `  feed      ${plural(tree.records, 'record')} on ${plural(tree.data_pages, 'page')}`,
        `  accounts  ${number(tree.accounts)} on ${plural(tree.account_pages, 'page')}`,
        ...(tree.browse_files === undefined
          ? []
          : [`  browse    ${plural(tree.browse_files, 'file')}${isZip ? '' : `; open ${join(options.out, 'index.html')}`}`]),
        `  files     ${number(summary.written)} written, ${number(summary.unchanged)} unchanged, ${number(summary.removed)} removed`,
        ...removedLines(summary),
        `next: ${await terminal.command('verify')}`,
        `then: ${await terminal.command('serve')}`,
        ...(isLoopback(baseUrl.url) ? [] : [`then: ${await terminal.command('publish', {}, ['TARGET'])}`]),
      ]);
    });
}

/** Returns a line for each kind of optional files that were removed. */
function removedLines({ removedBrowseFiles, removedCopies, build }: BuildSummary): string[] {
  return [
    ...(removedBrowseFiles > 0 && build.browse_files === undefined ? [`  removed   ${plural(removedBrowseFiles, 'browse file')}`] : []),
    ...(removedCopies > 0 ? [`  removed   ${number(removedCopies)} compressed ${removedCopies === 1 ? 'copy' : 'copies'}`] : []),
  ];
}

function encodingsIn(text: string): Encoding[] {
  if (text === 'none') return [];
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !ENCODINGS.some((encoding) => encoding === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`Expected ${ENCODINGS.join(', ')}, ${ENCODINGS.join(',')} or none.`);
  return ENCODINGS.filter((encoding) => names.includes(encoding));
}
