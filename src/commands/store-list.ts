import { Option } from '@commander-js/extra-typings';
import type { Terminal } from '../terminal/terminal.ts';
import { examples, JSON_HELP, type Program, QUIET_HELP } from './options.ts';
import { versionLine } from './store-version-line.ts';
import { addTargetOptions, requestsOf, TARGET_HELP, targetOf } from './target-options.ts';

export function declareStoreList(store: Program, terminal: Terminal): void {
  addTargetOptions(
    store
      .command('list')
      .summary('show the versions of the store that a target keeps')
      .description('Shows the versions of the store that a target keeps, newest first.')
      .argument('<target>', TARGET_HELP),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText('after', examples(['palimpsest store list s3://private-bucket/store', 'find the version to pull']))
    .action(async (address, options) => {
      terminal.setOutput(options);
      const [{ listVersions }, { openRemote }, target] = await Promise.all([
        import('../backup/store-version.ts'),
        import('../storage/remote.ts'),
        targetOf(address, options, terminal),
      ]);
      const { versions, problems, unread } = await listVersions(openRemote(target, requestsOf(options, terminal))).finally(() =>
        target.close(),
      );
      for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next push repairs it`);
      if (unread !== undefined) {
        terminal.warn(`commit ${unread} at ${target.name} cannot be read: there may be a newer version`);
        terminal.exitCode = 1;
      }
      terminal.summary(
        { target: target.name, versions, problems },
        versions.length === 0 ? [`${target.name} has no versions of a store`] : versions.map((version) => versionLine(version)),
      );
    });
}
