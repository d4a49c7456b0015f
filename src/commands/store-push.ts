import { Option } from '@commander-js/extra-typings';
import { number, plural, seconds, size, type Terminal } from '../terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { versionLine } from './store-version-line.ts';
import {
  aroundOf,
  concurrencyOption,
  endpointOption,
  prefixOption,
  regionOption,
  requestsOf,
  TARGET_HELP,
  targetOf,
  timeoutOption,
  trafficOf,
} from './target-options.ts';

export function declareStorePush(store: Program, terminal: Terminal): void {
  store
    .command('push')
    .summary('send the store to a target as its newest version')
    .description(
      'Sends the store to a private place as its newest version: only the blocks that changed, each read back and compared. Refuses a ' +
        'store that does not descend from the newest version there. Earlier versions are kept.',
    )
    .argument('<target>', TARGET_HELP)
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(
      new Option('--keep <n>', 'how many versions the target keeps').env('PALIMPSEST_KEEP').argParser(wholeNumber(1, 1000)).default(14),
    )
    .addOption(new Option('--replace', 'push although the store does not descend from the newest version there').env('PALIMPSEST_REPLACE'))
    .addOption(concurrencyOption())
    .addOption(prefixOption())
    .addOption(endpointOption())
    .addOption(regionOption())
    .addOption(timeoutOption())
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest store push s3://private-bucket/store', 'after an import, before a publish'],
        ['palimpsest store push /mnt/backup/store --keep 30', 'to a folder, with thirty versions'],
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
      const reading = terminal.progress('reading', size);
      const sending = terminal.progress('sending', size);
      const summary = await push(target, {
        ...requestsOf(options, terminal),
        around,
        store: options.store,
        keep: options.keep,
        replace: options.replace === true,
        onRead: reading.show,
        onSend: (done, all) => {
          reading.end();
          sending.show(done, all);
        },
      }).finally(() => {
        reading.end();
        sending.end();
        for (const one of [target, ...around]) one.close();
      });
      const milliseconds = Math.round(performance.now() - started);
      const { version, unchanged, blocks, kept, traffic, isConditional } = summary;
      if (!isConditional) {
        terminal.warn('this target writes without conditions: two pushes at the same moment may overlook each other');
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
          unchanged ? `${target.name} has this store already, as version ${version.number}` : `pushed ${versionLine(version)}`,
          `  blocks    ${number(blocks.sent)} of ${number(blocks.all)} sent, ${plural(kept, 'version')} kept`,
          `  traffic   ${size(traffic.sent)} in ${plural(traffic.requests, 'request')}, ${seconds(milliseconds)}`,
        ],
      );
    });
}
