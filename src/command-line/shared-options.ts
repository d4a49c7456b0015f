import { CONFLICT_POLICIES } from '../contract/record.ts';
import { FORMAT_NAMES } from '../sources/formats/all-formats.ts';
import { days, duration, instant, linkTemplate, path, pattern, percentage, region, source, timeOrDate, wholeNumber } from './parsers.ts';

export const STORE = { help: 'the store', parse: path, default: 'data/palimpsest.db' } as const;
/** The store of a command that writes to it. */
export const NEW_STORE = { ...STORE, help: 'the store; created if it does not exist' } as const;
export const OUT = { help: 'the tree, or the folder with versions', parse: path, default: 'out' } as const;

/** Where serve listens. */
export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8080;
/** The base URL of a new tree: with it, the links of the pages lead to serve. */
export const DEFAULT_BASE_URL: string = `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;

/** The most days or months of a rule that keeps versions. */
const MAX_PERIODS = 10_000;
export const KEEP = {
  help: 'also keep the versions that were current within this time before the second newest one, such as 90d',
  parse: days,
} as const;
export const KEEP_DAILY = {
  help: 'also keep the last version of each of the last <n> days that have one (UTC)',
  parse: wholeNumber(1, MAX_PERIODS),
} as const;
export const KEEP_MONTHLY = {
  help: 'also keep the last version of each of the last <n> months that have one (UTC)',
  parse: wholeNumber(1, MAX_PERIODS),
} as const;
export const SINGLE_PUBLISHER = {
  help: 'write to an object store without conditional writes; use it only if no other run writes there',
} as const;

export const CONCURRENCY = { help: 'the maximum number of concurrent requests', parse: wholeNumber(1, 256), default: 32 } as const;

/** The argument and the options of every command that uses a target. */
export const TARGET = { help: 's3://bucket/prefix, az://container/prefix, or a folder' } as const;

/** The options that determine how objects are accessed: those of every command that reads sources. */
export const SOURCE_OPTIONS = {
  '--endpoint <url>': { help: 'the address of the object store (default: the address of the cloud provider)' },
  '--region <name>': { help: 'the region of the bucket', parse: region },
  '--timeout <duration>': {
    help: 'the timeout of each attempt of a request; large objects get more time',
    parse: duration('1s', '1h'),
    default: 30_000,
    defaultText: '30s',
  },
} as const;

export const TARGET_OPTIONS = {
  '--concurrency <n>': CONCURRENCY,
  '--prefix <path>': { help: 'the path below the target to use' },
  ...SOURCE_OPTIONS,
} as const;

/** The argument of every command that reads sources. */
export const SOURCES = { help: 'files, folders, archives, s3://bucket/prefix, https://… or - for standard input', parse: source } as const;

/** The option of the commands that refuse to add a run with too many rejected items. */
export const MAX_REJECTED = {
  help: 'refuse the run if a larger share of its items is rejected',
  parse: percentage,
  default: 0.2,
  defaultText: '20%',
} as const;

/** Which files of the sources are read. */
export const FILTER_OPTIONS = {
  '--include <glob>': { help: 'read only files that match; can be repeated', parse: pattern, isRepeatable: true },
  '--exclude <glob>': { help: 'do not read files that match; can be repeated', parse: pattern, isRepeatable: true },
} as const;

/** The option for the file with input that a command cannot use. */
export const REJECTS = { help: 'write unusable input to this file, and read the rest', parse: path } as const;

export const ON_CONFLICT = {
  help: 'what to do with a record if the store has other content for its id',
  choices: CONFLICT_POLICIES,
} as const;

export const MAX_DELETE = { default: { share: 0.1 }, defaultText: '10%' } as const;

export const DRY_RUN = { help: 'show what would be done, and change nothing' } as const;

/** The options of every command that lists parts of the store. */
export const LIST_OPTIONS = {
  '--since <time>': {
    help: 'show only records since this date (UTC) or time, such as 2024-05-01, or accounts with such a record',
    parse: timeOrDate,
  },
  '--limit <n>': { help: 'show at most <n> entries', parse: wholeNumber(1, Number.MAX_SAFE_INTEGER) },
  '--store <file>': STORE,
} as const;

/** The options of every command that reads snapshots. */
export const SNAPSHOT_OPTIONS = {
  '--from <format>': {
    help: 'the format of the snapshots; auto detects it from the content',
    choices: ['auto', ...FORMAT_NAMES],
    default: 'auto',
  },
  '--observed-at <time>': { help: 'the time of snapshots that contain no time', parse: instant },
  '--allow-future': { help: 'accept snapshots with a time more than a day ahead of the clock' },
  '--rejects <file>': REJECTS,
  ...FILTER_OPTIONS,
  '--unescape': { help: 'decode &amp; &lt; &gt; in texts, which Twitter delivered escaped' },
} as const;

/** The options of every command that renders differences. */
export const NETWORK_OPTIONS = {
  '--mention-url <template>': {
    help: 'the link target of mentions; {} is replaced by the name (default: as the service links them)',
    parse: linkTemplate,
  },
  '--hashtag-url <template>': {
    help: 'the link target of hashtags; {} is replaced by the tag (default: as the service links them)',
    parse: linkTemplate,
  },
} as const;
