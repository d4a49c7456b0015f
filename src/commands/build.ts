import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { DEFAULT_BASE_URL } from '../command-line/shared-options.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { isLoopback, parseBaseUrl } from '../contract/base-url.ts';
import { closestNames } from '../contract/closest-names.ts';
import { Failure } from '../contract/failure.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { Violation } from '../contract/json-shape.ts';
import { ABOUT_FIELDS, type About, parseAbout } from '../contract/site-json.ts';
import { parseJson } from '../sources/json/parse-json.ts';
import { items } from '../terminal/progress.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import { type BuildSummary, build } from '../tree/build/build.ts';
import { type ChosenBaseUrl, chooseBaseUrl } from '../tree/build/last-settings.ts';
import { ENCODINGS } from '../tree/encoding.ts';
import { formOf } from '../tree/tree-files.ts';

/** What the summary of a build says about a base URL that was not given. */
const BASE_URL_REMARKS: { readonly [F in ChosenBaseUrl['from']]: string } = {
  option: '',
  tree: ', as in the previous build',
  default: ', the default; to publish, set --base-url',
};

export async function runBuild(terminal: Terminal, options: Values<'build'>): Promise<void> {
  const isZip = formOf(options.out) === 'zip';
  const given = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
  const about = options.site === undefined ? undefined : readSiteFile(options.site);
  const baseUrl = chooseBaseUrl(options.out, given, DEFAULT_BASE_URL);
  const site = { base_url: baseUrl.url, page_size: options.pageSize, account_page_size: options.accountPageSize };
  const summary = await build(options.store, {
    ...options,
    compress: options.compress && ENCODINGS.filter((encoding) => options.compress?.flat().includes(encoding)),
    site,
    about,
    signal: terminal.stopSignal,
    onProgress: terminal.progress({
      check: { label: 'reading the tree', amount: items('file') },
      render: { label: 'rendering', amount: items('page') },
      browse: { label: 'rendering HTML pages', amount: items('part') },
      compare: { label: 'comparing with the tree', amount: items('file') },
      exchange: isZip ? { label: 'writing the ZIP', amount: items('file') } : { label: 'replacing files', amount: items('page') },
    }),
  });
  const milliseconds = terminal.elapsed();
  const tree = summary.build;
  // a ZIP is replaced as a whole
  const { readerGaps: hasReaderGaps, ...facts } = summary;
  if (hasReaderGaps && !isZip && !options.dryRun) {
    terminal.warn(
      'records or accounts moved to earlier pages: if readers use this folder directly, those who followed the next links during ' +
        'the build may have missed some',
    );
  }
  for (const lack of tree.incomplete ?? []) terminal.alert(`the tree is not known to be complete: ${lackSentence(lack)}`);
  const { from: baseUrlFrom, before: baseUrlBefore } = baseUrl;
  warnOfBaseUrl(terminal, baseUrl);
  terminal.summary({ ...facts, hasReaderGaps, dryRun: options.dryRun, baseUrlFrom, baseUrlBefore, out: options.out, milliseconds }, [
    options.dryRun ? `dry run: what a build would write to ${options.out}` : `built the tree in ${options.out} in ${seconds(milliseconds)}`,
    `  base URL  ${baseUrl.url}${BASE_URL_REMARKS[baseUrlFrom]}`,
    `  feed      ${plural(tree.records, 'record')} on ${plural(tree.data_pages, 'page')}`,
    `  accounts  ${number(tree.accounts)} on ${plural(tree.account_pages, 'page')}`,
    tree.browse_files !== undefined &&
      `  HTML      ${plural(tree.browse_files, 'file')}${isZip || options.dryRun ? '' : `; open ${join(options.out, 'index.html')}`}`,
    ...fileLines(summary, options.dryRun),
    ...(options.dryRun
      ? [`nothing was written: run again without --dry-run to build ${options.out}`]
      : [
          `next: ${terminal.command('verify')}`,
          `then: ${terminal.command('serve')}`,
          !isLoopback(baseUrl.url) && `then: ${terminal.command('publish', {}, ['TARGET'])}`,
        ]),
  ]);
}

/** Warns if the base URL of a published tree changed. */
function warnOfBaseUrl(terminal: Terminal, { url, before }: ChosenBaseUrl): void {
  if (before === null || before === url || isLoopback(before)) return;
  terminal.warn(`the base URL of the tree changed from ${before} to ${url}: all links in the pages are new`);
}

/** Returns the numbers of files, and a line for each kind of optional files that were removed. */
function fileLines({ written, unchanged, removed, removedBrowseFiles, removedCopies, build }: BuildSummary, isDryRun: boolean): Line[] {
  const [toWrite, toRemove] = isDryRun ? ['to write', 'to remove'] : ['written', 'removed'];
  return [
    `  files     ${number(written)} ${toWrite}, ${number(unchanged)} unchanged, ${number(removed)} ${toRemove}`,
    removedBrowseFiles > 0 &&
      build.browse_files === undefined &&
      `  ${toRemove.padEnd(9)} ${plural(removedBrowseFiles, 'file')} of HTML pages`,
    removedCopies > 0 && `  ${toRemove.padEnd(9)} ${number(removedCopies)} compressed ${removedCopies === 1 ? 'copy' : 'copies'}`,
  ];
}

/**
 * Reads a `site.json`.
 * @returns null for `none` instead of a file
 * @throws Failure no-source, bad-json, bad-field
 */
export function readSiteFile(file: string): About | null {
  if (file === 'none') return null;
  const hint = 'check the path and the file; docs/browse.md in the package describes its fields';
  try {
    const parsed = parseJson({ text: readFileSync(file, 'utf8').replace(/^\ufeff/, ''), line: 1, path: '' }, file);
    if (!('kind' in parsed)) return parseAbout(parsed.value);
    const { code, place, expected, found } = parsed;
    throw new Failure(code, `cannot read ${file}`, { place, expected: `${expected}, or --site none`, found, hint });
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof Violation) throw badField(file, error);
    const found = error instanceof Error ? error.message : String(error);
    throw new Failure('no-source', `cannot read ${file}`, { place: { file }, expected: 'a JSON object, or --site none', found, hint });
  }
}

function badField(file: string, { field, expected, found }: Violation): Failure {
  const [similar] = ABOUT_FIELDS.includes(field) ? [] : closestNames(field, ABOUT_FIELDS, 1);
  const hint = similar === undefined ? 'docs/browse.md in the package describes the fields' : `did you mean ${similar}?`;
  return new Failure('bad-field', `${file} breaks a rule`, { place: { file, field }, expected, found, hint });
}
