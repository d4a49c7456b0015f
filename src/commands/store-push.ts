import { Option } from '@commander-js/extra-typings';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { versionLine } from './store-version-line.ts';
import { addTargetOptions, aroundOf, requestsOf, TARGET_HELP, targetOf, trafficOf, trafficText } from './target-options.ts';

export function declareStorePush(store: Program, terminal: Terminal): void {
  addTargetOptions(
    store
      .command('push')
      .summary('back up the store to a private target')
      .description(
        'Uploads the store to a private target as a new version. Uploads only blocks that changed, and reads each back to compare it. ' +
          'Refuses a store that was not made from the newest version at the target: pull that version first, then change it. Keeps ' +
          'earlier versions.',
      )
      .argument('<target>', TARGET_HELP)
      .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
      .addOption(
        new Option('--keep <n>', 'the number of versions to keep at the target, such as 30 (a number, not a time)')
          .env('PALIMPSEST_KEEP')
          .argParser(wholeNumber(1, 1000))
          .default(14),
      )
      .addOption(
        new Option('--replace', 'push even if the store was not made from the newest version at the target').env('PALIMPSEST_REPLACE'),
      ),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest store push s3://private-bucket/store', 'back up after an import, before a publish'],
        ['palimpsest store push /mnt/backup/store --keep 30', 'back up to a folder, and keep 30 versions'],
      ),
    )
    .action(async (address, options) => {
      terminal.setOutput(options);
      const started = performance.now();
      const [{ push }, target, around] = await Promise.all([
        import('../backup/push.ts'),
        targetOf(address, options, terminal),
        aroundOf(address, options, terminal),
      ]);
      const summary = await push(target, {
        ...requestsOf(options, terminal),
        around,
        store: options.store,
        keep: options.keep,
        replace: options.replace === true,
        onProgress: terminal.progress({
          read: { label: 'reading the store', amount: size },
          check: { label: 'checking the store', amount: size },
          send: { label: 'uploading', amount: size },
          delete: { label: 'deleting old versions', amount: items('block') },
        }),
      }).finally(() => {
        for (const one of [target, ...around]) one.close();
      });
      const milliseconds = Math.round(performance.now() - started);
      const { version, unchanged, blocks, kept, traffic, isConditional } = summary;
      if (!isConditional) {
        terminal.warn('this target has no conditional writes: two pushes at the same time may not detect each other');
      }
      terminal.summary(
        {
          target: target.name,
          store: options.store,
          version,
          unchanged,
          blocks,
          kept,
          requests: trafficOf(traffic),
          bytes: traffic.sent,
          conditional: isConditional,
          milliseconds,
        },
        [
          unchanged ? `${target.name} already has this store, as version ${version.number}` : `pushed ${versionLine(version)}`,
          `  blocks    ${number(blocks.sent)} of ${number(blocks.all)} uploaded, ${plural(kept, 'version')} kept`,
          `  traffic   ${trafficText(target, traffic)}, ${seconds(milliseconds)}`,
        ],
      );
    });
}
