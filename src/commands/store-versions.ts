import { STORE_KIND } from '../backup/store-version.ts';
import type { Values } from '../command-line/commands.ts';
import { openRemote } from '../storage/remote.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { listVersions } from '../versions/newest.ts';
import { versionLine } from './store-version-line.ts';
import { listedTargetOf, requestsOf } from './target.ts';

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
