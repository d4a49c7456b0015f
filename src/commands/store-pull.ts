import { Option } from '@commander-js/extra-typings';
import { seconds, size } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { versionLine } from './store-version-line.ts';
import { addTargetOptions, requestsOf, requestsText, TARGET_HELP, targetOf, trafficOf } from './target-options.ts';

export function declareStorePull(store: Program, terminal: Terminal): void {
  addTargetOptions(
    store
      .command('pull')
      .summary('download the store from a target')
      .description(
        'Downloads the newest version of the store, or an earlier one. Checks the whole file before it replaces the local store.' +
          ' Refuses if the local store has content that the downloaded version lacks.',
      )
      .argument('<target>', TARGET_HELP)
      .addOption(
        new Option('--store <file>', 'the local store, which is replaced').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE),
      )
      .addOption(
        new Option('--from-version <n>', 'the number of an earlier version; palimpsest store list shows them')
          .env('PALIMPSEST_FROM_VERSION')
          .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      )
      .addOption(
        new Option('--allow-missing', 'succeed if the target has no store yet, as on the first run').env('PALIMPSEST_ALLOW_MISSING'),
      )
      .addOption(
        new Option('--replace', 'replace the local store even if it has content that the downloaded version lacks').env(
          'PALIMPSEST_REPLACE',
        ),
      ),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest store pull s3://private-bucket/store', 'the newest version, before an import'],
        ['palimpsest store pull s3://private-bucket/store --from-version 41 --store old.db', 'an earlier version, to another file'],
      ),
    )
    .action(async (address, options) => {
      terminal.setOutput(options);
      const started = performance.now();
      const [{ pull }, target] = await Promise.all([import('../backup/pull.ts'), targetOf(address, options, terminal)]);
      const { version, unchanged, problems, traffic } = await pull(target, {
        ...requestsOf(options, terminal),
        store: options.store,
        version: options.fromVersion,
        allowMissing: options.allowMissing === true,
        replace: options.replace === true,
        onProgress: terminal.progress({
          compare: { label: 'reading the local store', amount: size },
          fetch: { label: 'downloading', amount: size },
          decompress: { label: 'decompressing', amount: size },
        }),
      }).finally(() => target.close());
      for (const problem of problems) terminal.warn(`${problem} at ${target.name}: the next push repairs it`);
      const milliseconds = Math.round(performance.now() - started);
      const requests = requestsText(target, traffic.requests);
      const lines =
        version === undefined
          ? [`${target.name} has no store yet: nothing was downloaded`]
          : [
              unchanged ? `${options.store} is already version ${version.number}` : `pulled ${versionLine(version)}`,
              `  ${requests === undefined ? 'time      ' : `traffic   ${requests}, `}${seconds(milliseconds)}`,
            ];
      terminal.summary(
        {
          target: target.name,
          store: options.store,
          version: version ?? null,
          unchanged,
          requests: trafficOf(traffic),
          problems,
          milliseconds,
        },
        lines,
      );
    });
}
