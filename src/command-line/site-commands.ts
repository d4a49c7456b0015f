import { DEFAULT_CACHE_CONTROL } from '../contract/site.ts';
import { ENCODINGS } from '../tree/encoding.ts';
import { cacheControl, encodings, folderOrZip, limitOf, path, versionNumber, wholeNumber } from './parsers.ts';
import {
  DEFAULT_BASE_URL,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DRY_RUN,
  KEEP,
  KEEP_DAILY,
  KEEP_MONTHLY,
  MAX_DELETE,
  OUT,
  SINGLE_PUBLISHER,
  STORE,
  TARGET,
  TARGET_OPTIONS,
} from './shared-options.ts';
import type { CommandSpec } from './spec.ts';

const LARGEST_PAGE = 100_000;

/** The commands that build, check and publish the tree. */
export const SITE_COMMANDS = {
  build: {
    summary: 'write every page of both collections as files',
    description:
      'Writes every page of /rest/data/ and /rest/account/ as an index.json file, with a manifest of their SHA-256. Writes only ' +
      'files whose content changed, and removes pages that no longer exist.',
    options: {
      '--store <file>': STORE,
      '--out <path>': {
        ...OUT,
        help: 'the tree: a folder or a ZIP; an existing file, or a new path that ends in .zip, is a ZIP',
        parse: folderOrZip,
      },
      '--base-url <url>': {
        help:
          'the public address of the site; rest/ is below it (default: the base URL of the last build in --out, or ' +
          `"${DEFAULT_BASE_URL}" for a new tree)`,
      },
      '--page-size <n>': {
        help: 'change records per page (default: as the last build in --out, or 100 for a new tree)',
        parse: wholeNumber(1, LARGEST_PAGE),
      },
      '--account-page-size <n>': {
        help: 'accounts per page (default: as the last build in --out, or 100 for a new tree)',
        parse: wholeNumber(1, LARGEST_PAGE),
      },
      '--compress <encodings>': {
        help: 'also write compressed copies of each page; separate several with commas, or repeat the option (default: as the last build in --out)',
        choices: [...ENCODINGS, 'none'],
        parse: encodings,
        isRepeatable: true,
      },
      '--html': {
        help: 'also write HTML pages, with feeds and a search, beside the JSON (default: as the last build in --out)',
        default: undefined,
      },
      '--no-html': { help: 'write no HTML pages, and remove those of the last build' },
      '--site <file>': {
        help: 'a JSON file that says who publishes the HTML pages and archives (docs/browse.md), or none (default: as the last build in --out)',
      },
      '--noindex': {
        help: 'ask search engines not to index the HTML pages (default: as the last build in --out)',
        default: undefined,
      },
      '--no-noindex': { help: 'let search engines index the HTML pages' },
      '--account-feeds': {
        help: 'write an Atom feed of each account beside its HTML page (default: as the last build in --out)',
        default: undefined,
      },
      '--no-account-feeds': { help: 'write no feeds of single accounts, and remove those of the last build' },
      '--repair': {
        help: 'find and repair damage: read all files of the tree instead of trusting the manifest, and rewrite those that differ',
      },
      '--dry-run': DRY_RUN,
      '--replace-tree': { help: 'build even if the tree is of another store, or would lose more than half of its pages' },
    },
    examples: [
      ['palimpsest build', 'build a tree for palimpsest serve, or update the tree in out'],
      ['palimpsest build --base-url https://example.org', 'a tree for a site at the root of its host'],
      ['palimpsest build --base-url https://example.org/api --out public', 'a tree for a site below /api, in the folder public'],
      ['palimpsest build --out history.zip', 'the same files in one ZIP, also for publish with versions'],
      ['palimpsest build --html', 'also writes HTML pages, which work without a server: open index.html'],
      ['palimpsest build --base-url https://example.org --compress gzip,brotli', 'also writes a .gz and a .br file for each page'],
    ],
  },
  serve: {
    summary: 'serve the tree on this machine',
    description:
      'Serves the tree on this machine at the path of its base URL, to try it before publishing it. Answers ?page=N like a host with ' +
      'the files of palimpsest rewrite. The links of API pages and Atom feeds point to this server instead of the base URL.',
    options: {
      '--out <path>': OUT,
      '--host <address>': { help: 'the address to listen on', default: DEFAULT_HOST },
      '--port <n>': { help: 'the port to listen on; 0 for any free port', parse: wholeNumber(0, 65_535), default: DEFAULT_PORT },
      '--no-rebase': { help: 'do not change the links of API pages and Atom feeds' },
      '--open': { help: 'open the home page in a browser, or the feed if the tree has no HTML pages' },
    },
    examples: [
      ['palimpsest serve', `at ${DEFAULT_BASE_URL}`],
      ['palimpsest serve --open', 'the same, and open the home page or the feed in a browser'],
      ['palimpsest serve --port 0 --no-rebase', 'at any free port, with unchanged pages'],
    ],
  },
  verify: {
    summary: 'check the tree, or what was published to a target, for errors',
    description:
      'Walks both collections as a client would, and checks every page, record, account and file of the tree against the rules that ' +
      'docs/rules.md in the package lists. Also compares the tree with the store at --store. At a target with versions, also checks ' +
      'the commits and the data of each version. Pages in an object store are fetched into a temporary folder, one request for each ' +
      'file. Exits with 1 if a rule is violated.',
    args: { '[target]': { help: `a target to which pages or versions were published: ${TARGET.help}` } },
    options: {
      '--out <path>': { ...OUT, help: 'the tree: a folder, a ZIP, or a folder with versions' },
      '--store <file>': {
        help: `the store; it must have exactly the content of the tree (default: ${STORE.default}, if the tree was built from its current state)`,
        parse: path,
      },
      '--all': { help: 'check the tree in each version, and not only in the current one' },
      ...TARGET_OPTIONS,
    },
    examples: [
      ['palimpsest verify', 'check the tree, and compare it with the default store if it was built from it'],
      ['palimpsest verify --store data/palimpsest.db', 'fail if the tree and this store differ'],
      ['palimpsest verify s3://bucket/history', 'check what was published to a target'],
    ],
  },
  publish: {
    summary: 'upload the tree to object storage or a folder',
    description:
      'Uploads new and changed files of the tree to object storage or a folder. The order of uploads ensures that a reader who ' +
      'follows the next links misses no record. Compares the tree with the manifest of the last run at the target. A tree in ' +
      'a ZIP becomes a new version: earlier versions stay readable.',
    args: { '<target>': TARGET },
    options: {
      '--out <path>': { ...OUT, help: 'the tree: a folder, or a ZIP' },
      '--dry-run': { help: `${DRY_RUN.help}; --json lists every step` },
      '--max-delete <limit>': {
        ...MAX_DELETE,
        help: 'pages: refuse to delete more than this: a number of files, or a percentage of those at the target',
        parse: limitOf('files'),
      },
      '--allow-gaps': { help: 'pages: publish even if readers may miss records that move to earlier pages' },
      '--allow-loopback': { help: 'publish even if the base URL of the tree is localhost or a loopback address' },
      '--allow-other-base-url': { help: 'publish even if the tree has another base URL than the one at the target' },
      '--allow-other-files': { help: 'publish into a folder that already contains other files' },
      '--repair': {
        help: 'find and repair damage: compare the hash of every file or version at the target, and replace or delete damaged ones',
      },
      '--cache-control <text>': { help: 'the Cache-Control header of pages', parse: cacheControl, default: DEFAULT_CACHE_CONTROL },
      '--gzip': { help: 'pages: upload them compressed, with Content-Encoding: gzip' },
      '--store <file>': { ...STORE, help: 'the store; for pages, it tells which accounts were removed' },
      '--rollback [number]': {
        help: 'versions: go back to an earlier version at the target (default: the one before)',
        parse: versionNumber,
      },
      '--keep <duration>': {
        ...KEEP,
        help: `versions: ${KEEP.help} (default: keep all; with any --keep option, versions that match none of them are deleted)`,
        variable: 'PALIMPSEST_PUBLISH_KEEP',
      },
      '--keep-daily <n>': { ...KEEP_DAILY, help: `versions: ${KEEP_DAILY.help}`, variable: 'PALIMPSEST_PUBLISH_KEEP_DAILY' },
      '--keep-monthly <n>': { ...KEEP_MONTHLY, help: `versions: ${KEEP_MONTHLY.help}`, variable: 'PALIMPSEST_PUBLISH_KEEP_MONTHLY' },
      '--rewrite-versions': {
        help: 'versions: after a removal, rebuild earlier versions without the account instead of deleting them',
      },
      '--replace': {
        help:
          'replace a diverged state: publish even if the store has fewer removed accounts than the one of the last publish, or for a ZIP ' +
          'does not know the state of the current version',
      },
      '--single-publisher': SINGLE_PUBLISHER,
      ...TARGET_OPTIONS,
    },
    examples: [
      ['palimpsest publish s3://bucket/history --dry-run', 'the number of uploads and deletes for each reason, and the cost'],
      ['palimpsest publish s3://bucket --endpoint https://store.example', 'to any object store with the S3 API'],
      ['palimpsest publish /var/www/history', 'to a folder that a web server serves'],
      ['palimpsest publish s3://bucket/history --out history.zip --keep 90d', 'a new version; those of the last 90 days stay readable'],
      ['palimpsest publish s3://bucket/history --rollback', 'go back to the version before the current one'],
    ],
  },
  versions: {
    summary: 'show the versions of the site at a target',
    description: 'Shows the versions of the site that a target has, newest first, and the last 100 numbers that were withdrawn.',
    args: { '<target>': TARGET },
    options: TARGET_OPTIONS,
    result: 'always',
    examples: [['palimpsest versions s3://bucket/history', 'find the version to go back to']],
  },
} as const satisfies { readonly [name: string]: CommandSpec };
