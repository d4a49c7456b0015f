import { Option } from '@commander-js/extra-typings';
import { plural, seconds, size } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { KeepPolicy } from '../versions/keep.ts';
import { MOST_PERIODS, versionsOrDays } from './keep-rule.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { versionLine } from './store-version-line.ts';
import { addTargetOptions, aroundOf, requestsOf, TARGET_HELP, targetOf, trafficOf, trafficText } from './target-options.ts';

export function declareStorePush(store: Program, terminal: Terminal): void {
  addTargetOptions(
    store
      .command('push')
      .summary('back up the store to a private target')
      .description(
        'Uploads the store to a private target as a new version: one compressed file, which is read back and compared. Refuses a store ' +
          'that does not descend from the newest version at the target: pull that version first, then change it. Keeps earlier versions.',
      )
      .argument('<target>', TARGET_HELP)
      .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
      .addOption(
        new Option('--keep <n>', 'how many versions to keep at the target, such as 30, or for how many days, such as 90d')
          .env('PALIMPSEST_KEEP')
          .argParser(versionsOrDays)
          .default<KeepPolicy>({ last: 14 }, '14'),
      )
      .addOption(
        new Option('--keep-daily <n>', 'also keep the last version of each of the last <n> days that have one (UTC)')
          .env('PALIMPSEST_KEEP_DAILY')
          .argParser(wholeNumber(1, MOST_PERIODS)),
      )
      .addOption(
        new Option('--keep-monthly <n>', 'also keep the last version of each of the last <n> months that have one (UTC)')
          .env('PALIMPSEST_KEEP_MONTHLY')
          .argParser(wholeNumber(1, MOST_PERIODS)),
      )
      .addOption(
        new Option('--replace', 'push even if the store does not descend from the newest version at the target').env('PALIMPSEST_REPLACE'),
      )
      .addOption(
        new Option(
          '--single-publisher',
          'write to an object store without conditional writes; use it only if no other run writes there',
        ).env('PALIMPSEST_SINGLE_PUBLISHER'),
      ),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest store push s3://private-bucket/store', 'back up after an import, before a publish'],
        ['palimpsest store push /mnt/backup/store --keep 30', 'back up to a folder, and keep 30 versions'],
        ['palimpsest store push /mnt/backup/store --keep 90d --keep-monthly 24', 'keep 90 days, and 24 months'],
      ),
    )
    .action(async (address, options, command) => {
      terminal.setOutput(options);
      const started = performance.now();
      const [{ push }, target, around] = await Promise.all([
        import('../backup/push.ts'),
        targetOf(address, options, terminal),
        aroundOf(address, options, terminal),
      ]);
      // --keep on the command line overrides variables: after a removal, --keep 1 must keep nothing else
      const isKeepGiven = command.getOptionValueSource('keep') === 'cli';
      const given = (rule: 'keepDaily' | 'keepMonthly') =>
        isKeepGiven && command.getOptionValueSource(rule) === 'env' ? undefined : options[rule];
      const summary = await push(target, {
        ...requestsOf(options, terminal),
        around,
        store: options.store,
        keep: { ...options.keep, daily: given('keepDaily'), monthly: given('keepMonthly') },
        replace: options.replace === true,
        singlePublisher: options.singlePublisher === true,
        onProgress: terminal.progress({
          read: { label: 'reading the store', amount: size },
          check: { label: 'checking the store', amount: size },
          compress: { label: 'compressing', amount: size },
          send: { label: 'uploading', amount: size },
          compare: { label: 'comparing', amount: size },
        }),
      }).finally(() => {
        for (const one of [target, ...around]) one.close();
      });
      const milliseconds = Math.round(performance.now() - started);
      const { version, unchanged, kept, deleted, traffic, isConditional, problems } = summary;
      for (const problem of problems) terminal.warn(`${problem} at ${target.name}: it is written again if a copy exists`);
      if (isConditional === false) {
        terminal.warn('this target has no conditional writes: two pushes at the same time may not detect each other');
      }
      terminal.summary(
        {
          target: target.name,
          store: options.store,
          version,
          unchanged,
          kept,
          deleted,
          requests: trafficOf(traffic),
          bytes: traffic.sent,
          conditional: isConditional ?? null,
          problems,
          milliseconds,
        },
        [
          unchanged ? `${target.name} already has this store, as version ${version.number}` : `pushed ${versionLine(version)}`,
          `  versions  ${plural(kept, 'version')} kept, ${deleted} deleted`,
          `  traffic   ${trafficText(target, traffic)}, ${seconds(milliseconds)}`,
        ],
      );
    });
}
