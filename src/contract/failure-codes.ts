/** The codes of all errors but those of guards. */
const ERROR_CODES = {
  'bad-field': {
    meaning:
      'a record, account, page, snapshot or `site.json` breaks a rule, has a text that is too long, or has a number that would be rounded to an integer',
    remedy: 'fix the line, or write such items to a file with `--rejects`',
  },
  'bad-json': {
    meaning:
      'one of these: text is not JSON (the error names HTML, CSV and other known formats), text is cut short, text is empty, an object has a field twice, a value has more than 67,108,864 characters',
    remedy: 'fetch the file again, or use `--rejects`',
  },
  'bad-encoding': {
    meaning:
      'bytes are not UTF-8 or have an unsupported format, such as 7z, SQLite, an image or an archive in an archive; or compressed data is damaged, is cut short or expands more than 1,000 times',
    remedy: 'run the command in the error, which converts the file or leaves it out; or fetch the file again',
  },
  'bad-source': { meaning: 'a file cannot be read to its end', remedy: 'check the disk and the permissions of the file' },
  'no-source': {
    meaning:
      'one of these: a path does not exist or cannot be accessed, a folder, archive or prefix has no files, no file of a folder, archive, prefix or set of parts matches `--include` and `--exclude`, a web archive has no page of the API',
    remedy: 'check the path, its permissions and the patterns',
  },
  'bad-archive': {
    meaning: 'a WARC, a WACZ, a bag, a tar archive or a ZIP file is damaged, cut short, hostile, or differs from its digests',
    remedy:
      'fetch or copy the archive again; nothing was imported. With `--rejects`, the readable members of a tar archive or ZIP file are imported, and the readable pages (archive.md#import-a-damaged-archive) of a WARC or WACZ',
  },
  conflict: {
    meaning:
      'the store has a record with the same id and other content, or a profile that differs; in a rejects file of `observe`, two snapshots of the same time have different values',
    remedy: 'use `--on-conflict keep` or `replace`, or `--rejects`; see snapshots.md#conflicts',
  },
  incomplete: {
    meaning: 'with `--require-complete`: saved pages or an archive lack items, or are not known to be complete',
    remedy:
      'save the missing pages or all pages again; for an archive, mirror again and make a new one; or run without `--require-complete`',
  },
  'all-rejected': {
    meaning: 'with `--rejects`: every item of a run was rejected, so the store is unchanged',
    remedy:
      'correct the items in the rejects file, then read it with the same command. After `normalize`, use its corrected rejects files as sources',
  },
  late: {
    meaning:
      'a snapshot is older than the newest one of its account in the store, and has other values, or a handle that the account never had',
    remedy: 'write such snapshots to a file with `--rejects`, or observe everything into a new store',
  },
  'bad-store': {
    meaning: 'a file is not a store, or a store or a version at a target is damaged',
    remedy:
      'run `store check` to find the damage, and `store check --repair` to repair derived data; otherwise restore a copy, pull an earlier version, or name another store',
  },
  'no-store': {
    meaning: 'there is no store at the given path or target, the first run did not finish, or the target does not have the given version',
    remedy:
      'import first, name the store with `--store`, or check the address of the target; in the very first run use `store pull --allow-missing`',
  },
  'no-account': {
    meaning:
      'one of these: no account in the store has that name; several accounts have a handle that begins with it; in `exclusions`, no account with that name is excluded',
    remedy:
      'use one of the suggested handles, or search with `palimpsest accounts`; `remove` excludes an unknown name with `--allow-unknown`',
  },
  'ambiguous-account': {
    meaning: 'several accounts have or had that name',
    remedy: 'name one account as the error suggests: `@handle` or `id:ID`',
  },
  'store-busy': {
    meaning: 'another process is writing the store, or is creating it: a new store cannot be read before its first run ends',
    remedy: 'wait until it has finished',
  },
  'store-newer': { meaning: 'a newer release of palimpsest made the store', remedy: 'update palimpsest' },
  'store-older': {
    meaning: 'an older release of palimpsest made the store',
    remedy:
      'run `palimpsest export ndjson --to FILE` with the release that wrote it, then `palimpsest import FILE` into a new store with this release: see backup.md#upgrade',
  },
  'no-tree': { meaning: 'there is no tree in that folder', remedy: 'build first, or name the folder with `--out`' },
  'tree-unfinished': {
    meaning: 'a build of that tree was interrupted, or a publish to that target runs or was interrupted',
    remedy: 'wait until a running publish ends; otherwise build or publish again, which completes the tree',
  },
  'tree-busy': {
    meaning: 'another build or `archive bag` is writing that folder or ZIP',
    remedy: 'wait, or write to another place',
  },
  'tree-edited': {
    meaning:
      'a file of the tree differs from what the build wrote, is no regular file, or was replaced during the run; or the numbers in build.json need more files than the manifest lists',
    remedy: 'run `build --repair`, then run the command again',
  },
  'no-sqlite': {
    meaning: 'better-sqlite3 has no binary for this release of Node.js, for example because its install script did not run',
    remedy: 'run `npm rebuild better-sqlite3` in the folder where palimpsest is installed',
  },
  'no-client': { meaning: 'the client package for that kind of target is not installed', remedy: 'install it as the error says' },
  'no-tool': { meaning: 'the program that decompresses a source is not installed', remedy: 'install it as the error says' },
  'tool-failed': {
    meaning: 'the program that decompresses a source cannot start, or was killed, for example because the machine had no memory left',
    remedy: 'check the free memory and the permitted number of processes, and run the same command again. Zstandard data can need 2 GB',
  },
  'target-denied': {
    meaning: 'the credentials for the target are missing, rejected or expired, or do not allow a request',
    remedy: 'check the credentials and their permissions: publish.md#set-the-credentials lists both',
  },
  'target-failed': {
    meaning: 'a request failed in a way that is not retried, or failed on every retry',
    remedy: 'check the network, the address, `--endpoint` and `--region`; run the same command again',
  },
  'target-busy': {
    meaning: 'another run is publishing to the target, or another push of the store finished before this one',
    remedy: 'wait until it has finished; after another push, pull its version first',
  },
  'no-version': {
    meaning:
      'the target does not have the version that `--rollback` names, or none before the current one; or each version up to it is damaged or has a removed account',
    remedy: 'run `palimpsest versions` with the target to see the versions; in the last case build the ZIP again and publish it',
  },
  'not-removed': {
    meaning:
      'the versions before a removal are no longer listed, but their files can still be read: the bucket keeps what is deleted, or has no conditional writes',
    remedy: 'delete the old versions of the objects with the tools of the object store, or run the same command again',
  },
  stopped: {
    meaning:
      'Ctrl-C or another signal stopped the command; the exit code is 143 for SIGTERM and 129 for SIGHUP; the error says what was kept',
    remedy: 'run the same command again: a publish or mirror resumes, everything else starts again',
  },
  'bad-service': {
    meaning: 'the mirrored service does not have one of the collections, or has a link or redirect that `mirror` does not follow',
    remedy: 'check the base URL, and the address in the error',
  },
  'service-failed': {
    meaning: 'the mirrored service does not respond, or does not send pages',
    remedy: 'mirror again later; the run resumes at the same page',
  },
  'port-taken': { meaning: 'the address or port is not available', remedy: 'use another `--port`, or `--port 0`' },
  'file-system': {
    meaning: 'a disk is full, a folder or file cannot be read or written, or standard output cannot be written',
    remedy: 'free space, check permissions, and run the command again; see errors.md#after-a-file-system-error',
  },
  'no-part': {
    meaning: 'a part (cluster.md#parts) of the sources is missing; the error names it',
    remedy: 'write it with `normalize`, or name all parts; nothing was added',
  },
  'bad-part': {
    meaning: 'a part (cluster.md#parts) is cut off, was changed, or is from another release of palimpsest; the error names the file',
    remedy: 'write it again with `normalize`; nothing was added',
  },
  defect: { meaning: 'palimpsest has a defect; the lines on standard error say where', remedy: 'report it with these lines' },
  usage: {
    meaning: 'an option has an invalid value, or a URL is given instead of a path; the error names the option or its environment variable',
    remedy: 'see `--help`',
  },
} as const;

/** The codes of guards that refused a dangerous change: exit code 3. */
const REFUSAL_CODES = {
  'not-ours': {
    meaning: 'a folder or target has content that palimpsest did not make; see errors.md#causes-of-not-ours',
    remedy:
      'move the file or object in the error message to another place, or name another target or folder; to publish to a folder, use `--allow-other-files`; nothing was changed',
  },
  'other-form': {
    meaning:
      'the target or folder has pages as files, versions of a site or versions of a store, and the command reads or writes another of these three',
    remedy: 'name another `--prefix`, another target or another folder; nothing was changed',
  },
  'no-conditions': {
    meaning: 'the target does not refuse to create an object that exists, so two runs at the same time could not detect each other',
    remedy:
      'use another object store, or a bucket without versioning; if no other run writes there, add `--single-publisher`; nothing was changed',
  },
  'store-diverged': {
    meaning:
      '`store push` would replace the version at the target with a store that lacks some of its content; or `store pull` would replace the local store with a version that lacks some of its content; or `publish` gets a ZIP that was not built from the current state of `--store`, or whose store does not know the state of the current version; or `publish` of pages gets a `--store` with fewer removed accounts than that of the last publish; or `publish` or `archive` gets a tree with accounts that were removed from `--store`; or `archive --identities` gets a tree that was not built from the current state of `--store`; or `build` would replace the tree of another store. A store that another program changed does not know its earlier states',
    remedy:
      'pull first, then repeat removals, and import or observe again; use `--replace` if this is intended, for `build` `--replace-tree`; for `publish` and `archive`, build again; nothing was changed',
  },
  'loopback-url': {
    meaning: 'the links in the tree point to `localhost` or a loopback address: the tree was built without `--base-url`',
    remedy: 'build again with `--base-url` and the address of the site, or use `--allow-loopback`; nothing was changed',
  },
  'not-confirmed': {
    meaning: '`remove` was started without `--yes`',
    remedy: 'to remove what it lists, add `--yes`; to search copies, name only removed accounts; nothing was changed',
  },
  'too-many-deletes': {
    meaning:
      'a publish would delete more files than `--max-delete` allows; or a mirror would delete more records and accounts than it allows; or a build would remove more than half of the pages',
    remedy:
      'check that the tree, the target, the service and the store are the right ones; if so, raise `--max-delete`, or for `build` add `--replace-tree`; nothing was changed',
  },
  'reader-gaps': {
    meaning: 'a publish would move records or accounts to earlier pages, so that readers may miss them',
    remedy: 'use `--allow-gaps` if this is acceptable',
  },
  'shared-time': {
    meaning: 'snapshots of several times would all get the time of `--observed-at`',
    remedy: 'write the time into the names of the folders, or as `observed_at` into each snapshot: see snapshots.md#the-time-of-a-snapshot',
  },
  'other-base-url': {
    meaning: 'the tree has another base URL than the one at the target',
    remedy: 'build with the base URL of the site; if the site has moved, publish once with `--allow-other-base-url`',
  },
  'future-time': {
    meaning:
      'a snapshot or `--observed-at` has a time more than a day ahead of the clock; or the newest version at a target has such a time, and the next version would get it, too',
    remedy:
      'correct the clock or the time, or use `--allow-future`; if the clock was wrong when that version was published, use `publish --rollback` or `store push --replace`',
  },
  'all-late': {
    meaning:
      'most accounts of a run have only snapshots older than the newest ones in the store, and some snapshots have other values than the store',
    remedy:
      'check the clock and the times (snapshots.md#a-wrong-clock), and whether another run has just added newer snapshots; if the times are right, add the rest with `--allow-late` and `--rejects`',
  },
  'too-many-rejects': {
    meaning: 'more items of a run were rejected than `--max-rejected` allows; the rejects file has them, and the store is unchanged',
    remedy: 'look at the reasons; if the other items are right, run again with a higher `--max-rejected`',
  },
  'too-few-accounts': {
    meaning: 'a run lacks more accounts of the previous run (snapshots.md#missing-accounts) than `--min-accounts` allows',
    remedy:
      'check the sources, and whether they are of the right server; if only these accounts should be observed, run again with a lower `--min-accounts`',
  },
  'host-refused': {
    meaning: 'the host would answer every page number with page 1',
    remedy: 'put the server that the error message names in front of the host, or choose a host from the list in the message',
  },
  'host-limit': {
    meaning: 'the tree has more files, or larger files, than the host allows',
    remedy: 'build with another page size, or choose another host',
  },
} as const;

/** All error codes, each with its meaning and what to do. The texts are for the documentation: `page.md#heading` becomes a link. */
export const FAILURES = { ...ERROR_CODES, ...REFUSAL_CODES } as const;

export type FailureCode = keyof typeof FAILURES;

/** Returns the exit code of the process after an error. A stop by another signal than SIGINT has its own exit code. */
export function exitCodeOf(code: string): number {
  if (Object.hasOwn(REFUSAL_CODES, code)) return 3;
  return code === 'stopped' ? 130 : code === 'usage' ? 2 : 1;
}
