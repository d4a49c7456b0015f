import { pull } from '../backup/pull.ts';
import { push } from '../backup/push.ts';
import { STORE_KIND, type StoreVersion } from '../backup/store-version.ts';
import type { Values } from '../command-line/commands.ts';
import type { Given } from '../command-line/spec.ts';
import { plural, seconds, size } from '../contract/amounts.ts';
import { openRemote } from '../storage/remote.ts';
import { SCHEMA_VERSION } from '../store/database/schema.ts';
import { bytes } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { listVersions } from '../versions/newest-commit.ts';
import { alertNewTarget, aroundOf, listedTargetOf, requestsOf, requestsText, targetOf, trafficOf, trafficText } from './target-options.ts';

export async function runStorePush(terminal: Terminal, options: Values<'store push'>, given: Given): Promise<void> {
  const [target, around] = await Promise.all([targetOf(options.target, options, terminal), aroundOf(options.target, options, terminal)]);
  // --keep-last on the command line overrides variables: after a removal, --keep-last 1 must keep nothing else
  const isOverridden = (rule: string) => given.get('--keep-last') === 'cli' && given.get(rule) === 'env';
  // whoever goes back to an earlier version may still need the later ones
  const keepsAll = options.replace && ![...given.keys()].some((option) => option.startsWith('--keep'));
  const summary = await push(target, {
    ...options,
    ...requestsOf(options, terminal),
    around,
    keep: {
      last: keepsAll ? undefined : options.keepLast,
      within: isOverridden('--keep') ? undefined : options.keep,
      daily: isOverridden('--keep-daily') ? undefined : options.keepDaily,
      monthly: isOverridden('--keep-monthly') ? undefined : options.keepMonthly,
    },
    deletesUnchanged: given.has('--keep-last'),
    onProgress: terminal.progress({
      read: { label: 'reading the store', amount: bytes },
      check: { label: 'checking the store', amount: bytes },
      compress: { label: 'compressing', amount: bytes },
      send: { label: 'uploading', amount: bytes },
      compare: { label: 'comparing', amount: bytes },
    }),
  }).finally(() => {
    for (const one of [target, ...around]) one.close();
  });
  const milliseconds = terminal.elapsed();
  const { version, isNew, unchanged, kept, deleted, bytes: sent, traffic, isConditional, problems } = summary;
  const { dryRun } = options;
  if (isNew) alertNewTarget(terminal, target);
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: it is written again if a copy exists`);
  if (isConditional === false) {
    terminal.warn('this target has no conditional writes: two pushes at the same time may not detect each other');
  }
  terminal.summary(
    {
      target: target.name,
      store: options.store,
      version: version ?? null,
      upToDate: unchanged,
      isNew,
      kept,
      deleted,
      requests: trafficOf(traffic),
      bytes: sent,
      conditional: isConditional ?? null,
      problems,
      dryRun,
      milliseconds,
    },
    [
      dryRun && `dry run: what a push of ${options.store} to ${target.name} would change`,
      version !== undefined && unchanged && `${target.name} already has this store, as version ${version.number}`,
      version !== undefined && !unchanged && !dryRun && `pushed ${versionLine(version)}`,
      `  versions  ${plural(kept, 'version')} kept, ${deleted} deleted`,
      `  traffic   ${dryRun ? size(sent) : trafficText(target, traffic)}, ${seconds(milliseconds)}`,
      dryRun && 'nothing was written: run again without --dry-run to push',
    ],
  );
}

export async function runStorePull(terminal: Terminal, options: Values<'store pull'>): Promise<void> {
  const target = await targetOf(options.target, options, terminal);
  const { version, unchanged, problems, traffic } = await pull(target, {
    ...options,
    ...requestsOf(options, terminal),
    version: options.number,
    onProgress: terminal.progress({
      compare: { label: 'reading the local store', amount: bytes },
      fetch: { label: 'downloading', amount: bytes },
      decompress: { label: 'decompressing', amount: bytes },
    }),
  }).finally(() => target.close());
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next push repairs it`);
  const milliseconds = terminal.elapsed();
  const requests = requestsText(target, traffic.requests);
  terminal.summary(
    {
      target: target.name,
      store: options.store,
      version: version ?? null,
      upToDate: unchanged,
      requests: trafficOf(traffic),
      problems,
      milliseconds,
    },
    version === undefined
      ? [`${target.name} has no store yet: nothing was downloaded`]
      : [
          unchanged ? `${options.store} is already version ${version.number}` : `pulled ${versionLine(version)}`,
          `  ${requests === undefined ? 'time      ' : `traffic   ${requests}, `}${seconds(milliseconds)}`,
        ],
  );
}

export async function runStoreVersions(terminal: Terminal, options: Values<'store versions'>): Promise<void> {
  const target = await listedTargetOf('no-store', options, terminal);
  const remote = openRemote(target, requestsOf(options, terminal));
  const { versions, problems, unread } = await listVersions(remote, STORE_KIND).finally(() => target.close());
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next push repairs it`);
  if (unread !== undefined) {
    terminal.warn(`commit ${unread} at ${target.name} cannot be read: there may be a newer version`);
    terminal.exitCode = 1;
  }
  terminal.summary(
    { target: target.name, results: versions, problems },
    versions.length === 0 ? [`${target.name} has no versions of a store`] : versions.map((version) => versionLine(version)),
  );
}

function versionLine({ number: version, time, records, accounts, store_bytes, bytes, store, schema }: StoreVersion): string {
  const other = schema === SCHEMA_VERSION ? '' : `, schema ${schema}: this release cannot read it`;
  return `version ${version} of ${time}: ${plural(records, 'record')} of ${plural(accounts, 'account')}, ${size(store_bytes)} (${size(bytes)} compressed), fingerprint ${store.slice(0, 12)}${other}`;
}
