import { Option } from '@commander-js/extra-typings';
import { number, plural, seconds, size, type Terminal } from '../terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { versionLine } from './store-version-line.ts';
import {
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

export function declareStorePull(store: Program, terminal: Terminal): void {
  store
    .command('pull')
    .summary('fetch the store from a target')
    .description(
      'Fetches the newest version of the store, or an earlier one, checks every block and the whole, and puts it in its place. ' +
        'Refuses to replace a store that has something which that version does not have.',
    )
    .argument('<target>', TARGET_HELP)
    .addOption(new Option('--store <file>', 'where the store goes').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(
      new Option('--from-version <n>', 'an earlier version that the target keeps')
        .env('PALIMPSEST_FROM_VERSION')
        .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .addOption(new Option('--allow-missing', 'the very first run: the target may have no store yet').env('PALIMPSEST_ALLOW_MISSING'))
    .addOption(new Option('--replace', 'replace the store here whatever it has').env('PALIMPSEST_REPLACE'))
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
        ['palimpsest store pull s3://private-bucket/store', 'the newest version, before an import'],
        ['palimpsest store pull s3://private-bucket/store --from-version 41 --store old.db', 'an earlier one, to another file'],
      ),
    )
    .action(async (address, options) => {
      terminal.setOutput(options);
      const started = performance.now();
      const [{ pull }, target] = await Promise.all([import('../backup/pull.ts'), targetOf(address, options, terminal)]);
      const fetching = terminal.progress('fetching', size);
      const { version, unchanged, blocks, traffic } = await pull(target, {
        ...requestsOf(options, terminal),
        store: options.store,
        version: options.fromVersion,
        allowMissing: options.allowMissing === true,
        replace: options.replace === true,
        onFetch: fetching.show,
      }).finally(() => {
        fetching.end();
        target.close();
      });
      const milliseconds = Math.round(performance.now() - started);
      const lines =
        version === undefined
          ? [`${target.name} has no store yet: nothing was fetched`]
          : [
              unchanged ? `${options.store} is version ${version.number} already` : `pulled ${versionLine(version)}`,
              `  blocks    ${number(blocks.fetched)} of ${number(blocks.all)} fetched, the others were here`,
              `  traffic   ${plural(traffic.requests, 'request')}, ${seconds(milliseconds)}`,
            ];
      terminal.summary(
        {
          target: target.name,
          store: options.store,
          version: version ?? null,
          unchanged,
          blocks,
          requests: trafficOf(traffic),
          milliseconds,
        },
        lines,
      );
    });
}
