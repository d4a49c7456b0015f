import { USER_AGENT } from '../version.ts';
import { duration, limitOf, partName, pathEnding, percentage, shard, userAgent } from './parsers.ts';
import {
  CONCURRENCY,
  DRY_RUN,
  FILTER_OPTIONS,
  MAX_DELETE,
  MAX_REJECTED,
  NETWORK_OPTIONS,
  NEW_STORE,
  ON_CONFLICT,
  REJECTS,
  SNAPSHOT_OPTIONS,
  SOURCE_OPTIONS,
  SOURCES,
} from './shared-options.ts';
import type { CommandSpec } from './spec.ts';

/** The commands that read something into a store or a file. */
export const READ_COMMANDS = {
  import: {
    summary: 'read change records and accounts into the store',
    description:
      'Reads change records and accounts into the store, from files, folders, archives, addresses or standard input (-). ' +
      'Accepts saved pages of a history service, NDJSON, JSON arrays, exports, web archives (WARC, WACZ) and bags. Files may be ' +
      'compressed. Detects the format from the content. Imports everything or nothing.',
    args: { '<source...>': SOURCES },
    options: {
      '--store <file>': NEW_STORE,
      '--on-conflict <policy>': { ...ON_CONFLICT, default: 'fail' },
      '--rejects <file>': REJECTS,
      '--max-rejected <percentage>': MAX_REJECTED,
      '--dry-run': DRY_RUN,
      ...FILTER_OPTIONS,
      '--require-complete': { help: 'fail if the saved pages lack items, or do not prove that they are complete' },
      ...SOURCE_OPTIONS,
    },
    examples: [
      ['palimpsest import saved-pages/', 'every file in the folder'],
      ['zcat records.ndjson.gz | palimpsest import -', 'records from another program'],
      ['palimpsest import saved-pages/ --require-complete', 'fail if a page is missing'],
      ['palimpsest import history.warc.gz', 'the pages in a web archive'],
      ['palimpsest import s3://bucket/saved-pages', 'the objects of a prefix'],
      ['palimpsest import today/ --on-conflict replace', 'replace records that differ'],
      ["palimpsest import site/ --include '*.json' --exclude 'drafts/'", 'only some files of a folder'],
      ['palimpsest import site/ --rejects rejects.ndjson', 'set aside what cannot be imported'],
      ['palimpsest import rejects.ndjson', 'import the rejects after you correct them'],
    ],
  },
  mirror: {
    summary: 'read a live service, or another tree, into the store',
    description:
      'Reads both collections of a live service, or of a palimpsest tree on any host, into the store. Later runs read only ' +
      'new items. An interrupted run resumes at the same page. Exits with 1 if the store still lacks items of the service.',
    args: { '<base-url>': { help: 'the address of the service; rest/ is below it' } },
    options: {
      '--store <file>': NEW_STORE,
      '--delay <duration>': {
        help: 'the time from the start of one request to the start of the next, such as 500ms, 5s or 2m',
        parse: duration('0s', '24h'),
        default: 1000,
        defaultText: '1s',
      },
      '--max-time <duration>': {
        help: 'the longest time for one answer; a slower answer is treated as an error',
        parse: duration('1s', '24h'),
        default: 600_000,
        defaultText: '10m',
      },
      '--concurrency <n>': { ...CONCURRENCY, default: 1, variable: 'PALIMPSEST_MIRROR_CONCURRENCY' },
      '--user-agent <text>': { help: 'the User-Agent of the requests', parse: userAgent, default: USER_AGENT },
      '--full': { help: 'read all pages: this finds items that were changed or removed in the service' },
      '--warc <file>': {
        help: 'append every request and response to a WARC, named .warc or .warc.gz',
        parse: pathEnding(/\.warc(\.gz)?$/i, '.warc or .warc.gz'),
      },
      '--on-conflict <policy>': { ...ON_CONFLICT, default: 'replace' },
      '--delete': { help: 'delete from the store what the service no longer has' },
      '--max-delete <limit>': {
        ...MAX_DELETE,
        help: 'refuse to delete more than this: a number of items, or a percentage of those that the service had in the previous run (in a first run: that it has now)',
        parse: limitOf('items'),
      },
      '--rejects <file>': { ...REJECTS, help: `${REJECTS.help} (default: a file beside the store)` },
    },
    writes: 'always',
    examples: [
      ['palimpsest mirror https://history.example.org', 'everything the first time, then only new items'],
      ['palimpsest mirror https://history.example.org --delay 5s', 'slower'],
      ['palimpsest mirror https://history.example.org --warc 2026-01-31.warc.gz', 'also keep the requests and responses'],
      ['palimpsest mirror https://history.example.org --full --delete', 'also find corrections and removals, for example once a month'],
    ],
  },
  observe: {
    summary: 'turn profile snapshots into change records',
    description:
      'Reads profile snapshots, compares each with the stored state of the account, and adds one record for each field ' +
      'that changed. Snapshots may be in any order: they are sorted by time first. Adds everything or nothing.',
    args: { '<source...>': SOURCES },
    options: {
      '--store <file>': NEW_STORE,
      '--max-rejected <percentage>': MAX_REJECTED,
      '--min-accounts <percentage>': {
        help: 'refuse the run if it has a smaller share of the accounts of the previous run',
        parse: percentage,
        default: 0.5,
        defaultText: '50%',
      },
      '--allow-late': { help: 'add a run although most of its accounts have only snapshots older than those in the store' },
      '--dry-run': DRY_RUN,
      ...SNAPSHOT_OPTIONS,
      ...NETWORK_OPTIONS,
      ...SOURCE_OPTIONS,
    },
    examples: [
      ['palimpsest observe snapshots/', 'every file in the folder'],
      ['palimpsest observe users.jsonl --observed-at 2017-09-19T20:47:28Z', 'snapshots that contain no time'],
      ['palimpsest observe rejects.ndjson', 'the rejects of an earlier run, after they were corrected'],
      [
        'palimpsest observe twitter-stream-2017-01.tar --rejects rejects.ndjson',
        'an archive of the Twitter stream; input that cannot be used goes to rejects.ndjson',
      ],
      ['palimpsest observe https://archive.example/grab.tar', 'an archive, without saving it'],
    ],
  },
  normalize: {
    summary: 'write profile snapshots in one format, also in parts on many machines',
    description:
      'Reads profile snapshots as observe does, and writes them as neutral snapshots: NDJSON, with each profile once and all its times. ' +
      'observe reads the files and gives the same store as from the sources. With --shard, each run reads one shard of the sources and writes one part.',
    args: { '<source...>': SOURCES },
    options: {
      '--to <file>': {
        help: 'the output: a file, or s3://bucket/prefix/file; compressed if its name ends in .gz',
        parse: partName,
        isMandatory: true,
      },
      '--shard <i/n>': {
        help: 'read only shard I of N, such as 7/16; I counts from 0',
        parse: shard,
        default: { number: 0, shards: 1 },
        defaultText: '0/1',
      },
      ...SNAPSHOT_OPTIONS,
      ...SOURCE_OPTIONS,
    },
    writes: '--to',
    examples: [
      ['palimpsest normalize grab-2017/ --to snapshots-2017.ndjson.gz', 'the snapshots of an archive, in one file that is easy to read'],
      ['palimpsest normalize grab-2017/ --shard 7/16 --to run/part-7.ndjson.gz', 'one of 16 parts; then: palimpsest observe run/'],
      ['palimpsest normalize s3://grabs/2017 --shard 7/16 --to s3://private-bucket/run/part-7.ndjson.gz', 'without a shared folder'],
    ],
  },
} as const satisfies { readonly [name: string]: CommandSpec };
