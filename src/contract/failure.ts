import { type Hint, hintText } from './hint.ts';

/**
 * All error codes, each with its meaning, what to do, and the exit code of the process:
 * 1 failed, 2 wrong usage, 3 a guard refused a dangerous change. A stop by another signal than SIGINT has its own exit code.
 * The texts are for the documentation: `page.md#heading` becomes a link.
 */
export const FAILURES = {
  'bad-field': {
    exit: 1,
    meaning: 'a record, account or page breaks a rule of the API, or a number would be rounded to an integer',
    remedy: 'fix the line, or write such items to a file with `--rejects`',
  },
  'bad-json': {
    exit: 1,
    meaning:
      'one of these: text is not JSON (the error names HTML, CSV and other known formats), text is cut short, text is empty, an object has a field twice, a value has more than 67,108,864 characters',
    remedy: 'fetch the file again, or use `--rejects`',
  },
  'bad-encoding': {
    exit: 1,
    meaning:
      'bytes are not UTF-8 or have an unsupported format, such as 7z, SQLite, an image or an archive in an archive; or compressed data is damaged, is cut short or expands more than 1,000 times',
    remedy: 'run the command in the error, which converts the file or leaves it out; or fetch the file again',
  },
  'bad-source': { exit: 1, meaning: 'a file cannot be read to its end', remedy: 'check the disk and the permissions of the file' },
  'no-source': {
    exit: 1,
    meaning:
      'one of these: a path does not exist or cannot be accessed, a folder, archive or prefix has no files, no file of a folder, archive, prefix or set of parts matches `--include` and `--exclude`, a web archive has no page of the API',
    remedy: 'check the path, its permissions and the patterns',
  },
  'bad-archive': {
    exit: 1,
    meaning: 'a WARC, a WACZ, a bag, a tar archive or a ZIP file is damaged, cut short, hostile, or differs from its digests',
    remedy:
      'fetch or copy the archive again; nothing was imported. With `--rejects`, the readable members of a tar archive or ZIP file are imported, and the readable pages (archive.md#import-a-damaged-archive) of a WARC or WACZ',
  },
  conflict: {
    exit: 1,
    meaning:
      'the store has a record with the same id and other content, or a profile that differs; in a rejects file of `observe`, two snapshots of the same time have different values',
    remedy: 'use `--on-conflict keep` or `replace`, or `--rejects`; see snapshots.md#conflicts',
  },
  incomplete: {
    exit: 1,
    meaning: 'with `--require-complete`: saved pages lack items, or do not prove that they are complete',
    remedy: 'save the missing pages, save all pages again, or run without `--require-complete`',
  },
  'all-rejected': {
    exit: 1,
    meaning: 'with `--rejects`: every item of a run was rejected, so the store is unchanged',
    remedy:
      'correct the items in the rejects file, then read it with the same command. After `normalize`, use its corrected rejects files as sources',
  },
  late: {
    exit: 1,
    meaning: 'a snapshot is older than the newest snapshot of that account in the store, and has other values than the store',
    remedy: 'write such snapshots to a file with `--rejects`, or observe everything into a new store',
  },
  'bad-store': {
    exit: 1,
    meaning: 'a file is not a store, or a store or a version at a target is damaged',
    remedy:
      'run `store check` to find the damage, and `store check --repair` to repair derived data; otherwise restore a copy, pull an earlier version, or name another store',
  },
  'no-store': {
    exit: 1,
    meaning: 'there is no store at the given path or target, or the target does not have the given version',
    remedy:
      'import first, name the store with `--store`, or check the address of the target; in the very first run use `store pull --allow-missing`',
  },
  'no-account': {
    exit: 1,
    meaning:
      'one of these: no account in the store has that name; several accounts have a handle that begins with it; in `exclusions`, no account with that name is excluded',
    remedy:
      'use one of the suggested handles, or search with `palimpsest accounts`; `remove` excludes an unknown name with `--allow-unknown`',
  },
  'ambiguous-account': {
    exit: 1,
    meaning: 'several accounts have or had that name',
    remedy: 'name one account as the error suggests: `@handle` or `id:ID`',
  },
  'store-busy': {
    exit: 1,
    meaning: 'another process is writing the store, or is creating it: a new store cannot be read before its first run ends',
    remedy: 'wait until it has finished',
  },
  'store-newer': { exit: 1, meaning: 'a newer release of palimpsest made the store', remedy: 'update palimpsest' },
  'store-older': {
    exit: 1,
    meaning: 'an older release of palimpsest made the store',
    remedy:
      'run `palimpsest export ndjson --to FILE` with the release that wrote it, then `palimpsest import FILE` into a new store with this release',
  },
  'no-tree': { exit: 1, meaning: 'there is no tree in that folder', remedy: 'build first, or name the folder with `--out`' },
  'tree-unfinished': { exit: 1, meaning: 'a build of that tree was interrupted', remedy: 'build again; the build completes the tree' },
  'tree-busy': { exit: 1, meaning: 'another build is writing that folder or ZIP', remedy: 'wait, or build into another place' },
  'tree-edited': {
    exit: 1,
    meaning:
      'a file of the tree differs from what the build wrote, or is not a regular file; or the numbers in build.json need more files than the manifest lists',
    remedy: 'run `build --repair`, then run the command again',
  },
  'no-client': { exit: 1, meaning: 'the client package for that kind of target is not installed', remedy: 'install it as the error says' },
  'no-tool': { exit: 1, meaning: 'the program that decompresses a source is not installed', remedy: 'install it as the error says' },
  'tool-failed': {
    exit: 1,
    meaning: 'the program that decompresses a source cannot start, or was killed, for example because the machine had no memory left',
    remedy: 'check the free memory and the permitted number of processes, and run the same command again. Zstandard data can need 2 GB',
  },
  'target-denied': {
    exit: 1,
    meaning: 'the credentials for the target are missing, rejected or expired, or do not allow a request',
    remedy: 'check the credentials and their permissions: publish.md#set-the-credentials lists both',
  },
  'target-failed': {
    exit: 1,
    meaning: 'a request failed in a way that is not retried, or failed on every retry',
    remedy: 'check the network, the address, `--endpoint` and `--region`; run the same command again',
  },
  'target-busy': {
    exit: 1,
    meaning: 'another run is publishing to the target, or another push of the store finished before this one',
    remedy: 'wait until it has finished; after another push, pull its version first',
  },
  'no-version': {
    exit: 1,
    meaning:
      'the target does not have the version that `--rollback` names, or none before the current one; or each version up to it is damaged or has a removed account',
    remedy: 'run `palimpsest versions` with the target to see the versions; in the last case build the ZIP again and publish it',
  },
  'not-removed': {
    exit: 1,
    meaning:
      'the versions before a removal are no longer listed, but their files can still be read: the bucket keeps what is deleted, or has no conditional writes',
    remedy: 'delete the old versions of the objects with the tools of the object store, or run the same command again',
  },
  stopped: {
    exit: 130,
    meaning:
      'Ctrl-C or another signal stopped the command; the exit code is 143 for SIGTERM and 129 for SIGHUP; the error says what was kept',
    remedy: 'run the same command again: a publish or mirror resumes, everything else starts again',
  },
  'bad-service': {
    exit: 1,
    meaning: 'the mirrored service does not have one of the collections, or has a link or redirect that `mirror` does not follow',
    remedy: 'check the base URL, and the address in the error',
  },
  'service-failed': {
    exit: 1,
    meaning: 'the mirrored service does not respond, or does not send pages',
    remedy: 'mirror again later; the run resumes at the same page',
  },
  'port-taken': { exit: 1, meaning: 'the address or port is not available', remedy: 'use another `--port`, or `--port 0`' },
  'file-system': {
    exit: 1,
    meaning: 'a disk is full, a folder or file cannot be read or written, or standard output cannot be written',
    remedy: 'free space, check permissions, and run the command again; see errors.md#after-a-file-system-error',
  },
  'no-part': {
    exit: 1,
    meaning: 'a part (cluster.md#parts) of the sources is missing; the error names it',
    remedy: 'write it with `normalize`, or name all parts; nothing was added',
  },
  'bad-part': {
    exit: 1,
    meaning: 'a part (cluster.md#parts) is cut off, was changed, or is from another release of palimpsest; the error names the file',
    remedy: 'write it again with `normalize`; nothing was added',
  },
  defect: { exit: 1, meaning: 'palimpsest has a defect; the lines on standard error say where', remedy: 'report it with these lines' },
  usage: {
    exit: 2,
    meaning: 'an option has an invalid value, or a URL is given instead of a path; the error names the option or its environment variable',
    remedy: 'see `--help`',
  },
  'not-ours': {
    exit: 3,
    meaning: 'a folder or target has content that palimpsest did not make; see errors.md#causes-of-not-ours',
    remedy:
      'move the file or object in the error message to another place, or name another target or folder; to publish to a folder, use `--allow-other-files`; nothing was changed',
  },
  'other-form': {
    exit: 3,
    meaning: 'the target has pages as files, versions of a site or versions of a store, and the command writes another of these three',
    remedy: 'name another `--prefix` or another target; nothing was changed',
  },
  'no-conditions': {
    exit: 3,
    meaning: 'the target does not refuse to create an object that exists, so two runs at the same time could not detect each other',
    remedy:
      'use another object store, or a bucket without versioning; if no other run writes there, add `--single-publisher`; nothing was changed',
  },
  'store-diverged': {
    exit: 3,
    meaning:
      '`store push` would replace the version at the target with a store that lacks some of its content; or `store pull` would replace the local store with a version that lacks some of its content; or `publish` gets a ZIP that was not built from the current state of `--store`, or whose store never had the state of the current version',
    remedy:
      'pull first, then import or observe again; use `--replace` if this is intended; for `publish`, build the ZIP again; nothing was changed',
  },
  'loopback-url': {
    exit: 3,
    meaning: 'the links in the tree point to `localhost` or a loopback address: the tree was built without `--base-url`',
    remedy: 'build again with `--base-url` and the address of the site, or use `--allow-loopback`; nothing was changed',
  },
  'not-confirmed': {
    exit: 3,
    meaning: '`remove` was started without `--yes`',
    remedy: 'look at what it would remove, then add `--yes`; nothing was changed',
  },
  'too-many-deletes': {
    exit: 3,
    meaning: 'a publish would delete more files than `--max-delete` allows, or a mirror would delete more records and accounts',
    remedy: 'make sure that the tree and the target (or the service) are the right ones; nothing was changed',
  },
  'reader-gaps': {
    exit: 3,
    meaning: 'a publish would move records or accounts to earlier pages, so that readers may miss them',
    remedy: 'use `--allow-gaps` if this is acceptable',
  },
  'shared-time': {
    exit: 3,
    meaning: 'snapshots of several times would all get the time of `--observed-at`',
    remedy: 'write the time into the names of the folders, or as `observed_at` into each snapshot: see snapshots.md#the-time-of-a-snapshot',
  },
  'other-base-url': {
    exit: 3,
    meaning: 'the tree has another base URL than the one at the target',
    remedy: 'build with the base URL of the site; if the site has moved, publish once with `--allow-other-base-url`',
  },
  'future-time': {
    exit: 3,
    meaning: 'a snapshot or `--observed-at` has a time more than a day ahead of the clock',
    remedy: 'correct the clock or the time, or use `--allow-future`',
  },
  'all-late': {
    exit: 3,
    meaning: 'every snapshot of a run is older than the newest one of its account in the store, and some have other values',
    remedy: 'check the clock and the times; see a wrong clock (snapshots.md#a-wrong-clock)',
  },
  'too-many-rejects': {
    exit: 3,
    meaning: 'more items of a run were rejected than `--max-rejected` allows; the rejects file has them, and the store is unchanged',
    remedy: 'look at the reasons; if the other items are right, run again with a higher `--max-rejected`',
  },
  'too-few-accounts': {
    exit: 3,
    meaning: 'a run lacks more accounts of the run before (snapshots.md#missing-accounts) than `--min-accounts` allows',
    remedy: 'check the sources; if only these accounts should be observed, run again with a lower `--min-accounts`',
  },
  'host-refused': {
    exit: 3,
    meaning: 'the host would answer every page number with page 1',
    remedy: 'put the server that the error message names in front of the host, or choose a host from the list in the message',
  },
  'host-limit': {
    exit: 3,
    meaning: 'the tree has more files, or larger files, than the host allows',
    remedy: 'build with another page size, or choose another host',
  },
} as const;

export type FailureCode = keyof typeof FAILURES;

/** A place in the input: a file (or URL), a line (from 1) or a byte (from 0), and the path of a field in the item. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly byte?: number;
  readonly field?: string;
}

interface Details {
  readonly place?: Place;
  readonly expected?: string | undefined;
  readonly found?: string | undefined;
  /** What to do next, as an imperative. */
  readonly hint?: Hint | undefined;
  readonly cause?: unknown;
  /** Further errors of the same run, each in another file. */
  readonly others?: readonly Failure[] | undefined;
  /** How many further errors are not in `others`. */
  readonly unlisted?: number | undefined;
}

/** The only error that users see: what failed, where, what was expected and found, and what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly place: Place;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** The hint as text, with commands as they are written in the documentation. */
  readonly hint: string | undefined;
  /** The hint with its commands as data. */
  readonly hintParts: Hint | undefined;
  readonly others: readonly Failure[];
  readonly unlisted: number;

  constructor(code: FailureCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.place = details.place ?? {};
    this.expected = details.expected;
    this.found = details.found;
    this.hint = details.hint === undefined ? undefined : hintText(details.hint, ({ command }) => `palimpsest ${command}`);
    this.hintParts = details.hint;
    this.others = details.others ?? [];
    this.unlisted = details.unlisted ?? 0;
  }

  /** Returns this failure with other details. */
  with(details: Details): Failure {
    const { place, expected, found, hintParts: hint, others, unlisted, cause } = this;
    return new Failure(this.code, this.message, { place, expected, found, hint, others, unlisted, cause, ...details });
  }
}
