/** The codes of guards that refused a dangerous change: exit code 3. */
export const REFUSAL_CODES = {
  'not-ours': {
    meaning: 'a folder or target has content that palimpsest did not make; see errors.md#causes-of-not-ours',
    remedy:
      'move the file or object in the error message to another place, or name another target or folder; to publish to a folder, use `--allow-other-files`; nothing was changed',
  },
  'other-form': {
    meaning: 'the target has pages as files, versions of a site or versions of a store, and the command writes another of these three',
    remedy: 'name another `--prefix` or another target; nothing was changed',
  },
  'no-conditions': {
    meaning: 'the target does not refuse to create an object that exists, so two runs at the same time could not detect each other',
    remedy:
      'use another object store, or a bucket without versioning; if no other run writes there, add `--single-publisher`; nothing was changed',
  },
  'store-diverged': {
    meaning:
      '`store push` would replace the version at the target with a store that lacks some of its content; or `store pull` would replace the local store with a version that lacks some of its content; or `publish` gets a ZIP that was not built from the current state of `--store`, or whose store does not know the state of the current version; or `publish` gets a tree with accounts that were removed from `--store`; or `archive --identities` gets a tree that was not built from the current state of `--store`; or `build` would replace the tree of another store. A store that another program changed does not know its earlier states',
    remedy:
      'pull first, then import or observe again; use `--replace` if this is intended, for `build` `--replace-tree`; for `publish` and `archive`, build again; nothing was changed',
  },
  'loopback-url': {
    meaning: 'the links in the tree point to `localhost` or a loopback address: the tree was built without `--base-url`',
    remedy: 'build again with `--base-url` and the address of the site, or use `--allow-loopback`; nothing was changed',
  },
  'not-confirmed': {
    meaning: '`remove` was started without `--yes`',
    remedy: 'look at what it would remove, then add `--yes`; nothing was changed',
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
    remedy: 'check the sources; if only these accounts should be observed, run again with a lower `--min-accounts`',
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
