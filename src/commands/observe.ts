import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { show } from '../contract/json.ts';
import type { ObserveSummary } from '../observe/observe.ts';
import { FORMAT_NAMES } from '../sources/formats/format.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { printable } from '../terminal/printable.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { COMMIT_PHASES } from './commit-phases.ts';
import { hintCommandFor } from './hint-command.ts';
import { nextBuild } from './next-build.ts';
import { DEFAULT_STORE, examples, instant, JSON_HELP, type Program, path, QUIET_HELP, texts, wholeNumber } from './options.ts';
import { addSourceOptions, remoteSources, SOURCE_HELP, sources } from './source-options.ts';

/** Characters that a URL parser drops or rewrites. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const UNSAFE = /[\s\u0000-\u001f\u007f-\u009f\\]/;

/** The maximum number of conflicts in the text output. */
const PRINTED_CONFLICTS = 5;

export function declareObserve(program: Program, terminal: Terminal): void {
  addSourceOptions(
    program
      .command('observe')
      .summary('turn profile snapshots into change records')
      .description(
        'Reads profile snapshots, compares each with the stored state of the account, and adds one record for each field ' +
          'that changed. Snapshots may be in any order: they are sorted by time first. Adds everything or nothing.',
      )
      .argument('<source...>', SOURCE_HELP, sources)
      .addOption(
        new Option('--from <format>', 'the format of the snapshots; auto detects it from the content')
          .env('PALIMPSEST_FROM')
          .choices(['auto', ...FORMAT_NAMES])
          .default('auto' as const),
      )
      .addOption(
        new Option('--observed-at <time>', 'the time of snapshots that contain no time').env('PALIMPSEST_OBSERVED_AT').argParser(instant),
      )
      .addOption(
        new Option('--store <file>', 'the store; created if it does not exist')
          .env('PALIMPSEST_STORE')
          .argParser(path)
          .default(DEFAULT_STORE),
      )
      .addOption(
        new Option('--rejects <file>', 'write input that cannot be used to this file, and observe the rest')
          .env('PALIMPSEST_REJECTS')
          .argParser(path),
      )
      .addOption(new Option('--include <glob>', 'read only files that match; can be repeated').env('PALIMPSEST_INCLUDE').argParser(texts))
      .addOption(new Option('--exclude <glob>', 'do not read files that match; can be repeated').env('PALIMPSEST_EXCLUDE').argParser(texts))
      .addOption(new Option('--unescape', 'decode &amp; &lt; &gt; in texts, which Twitter delivered escaped').env('PALIMPSEST_UNESCAPE'))
      .addOption(
        new Option('--mention-url <template>', 'the link target of mentions; {} is replaced by the name')
          .env('PALIMPSEST_MENTION_URL')
          .argParser(template)
          .default('https://twitter.com/{}'),
      )
      .addOption(
        new Option('--hashtag-url <template>', 'the link target of hashtags; {} is replaced by the tag')
          .env('PALIMPSEST_HASHTAG_URL')
          .argParser(template)
          .default('https://twitter.com/search?q=%23{}'),
      )
      .addOption(
        new Option('--jobs <n>', 'how many threads read and compare; all cores by default')
          .env('PALIMPSEST_JOBS')
          .argParser(wholeNumber(1, 256)),
      )
      .addOption(new Option('--dry-run', 'show what would be added, and do not change the store').env('PALIMPSEST_DRY_RUN')),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest observe snapshots/', 'every file in the folder'],
        ['palimpsest observe users.jsonl --observed-at 2017-09-19T20:47:28Z', 'snapshots that contain no time'],
        ['palimpsest observe rejects.ndjson', 'the rejects of an earlier run, after they were corrected'],
        [
          'palimpsest observe twitter-stream-2017-01.tar --rejects rejects.ndjson',
          'an archive of the Twitter stream; input that cannot be used goes to rejects.ndjson',
        ],
        ['palimpsest observe https://archive.example/grab.tar', 'an archive, without saving it'],
      ),
    )
    .action(async (addresses, options) => {
      terminal.setOutput(options);
      const [{ inputNamed, inputsOf }, { RejectsFile }, { observeInputs }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/rejects.ts'),
        import('../observe/observe.ts'),
      ]);
      const started = performance.now();
      const patterns = { include: options.include ?? [], exclude: options.exclude ?? [] };
      const remote = remoteSources(options, terminal, 'nothing was added');
      const inputs = inputsOf(addresses, terminal.io.stdin, patterns, remote);
      const command = await hintCommandFor(terminal, addresses, observeOptions(options));
      const rejects =
        options.rejects === undefined
          ? undefined
          : new RejectsFile(options.rejects, [options.store, ...inputs.flatMap((input) => input.path ?? [])]);
      const from = options.from === 'auto' ? undefined : options.from;
      try {
        const summary = await observeInputs(options.store, inputs, {
          snapshots: { from, observedAt: options.observedAt, unescape: options.unescape ?? false, command },
          network: { mention_url: options.mentionUrl, hashtag_url: options.hashtagUrl },
          dryRun: options.dryRun,
          openAgain: (name) => inputNamed(name, remote),
          threads: { jobs: options.jobs ?? availableParallelism() },
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({
            read: { label: 'reading', amount: size },
            compare: { label: 'comparing', amount: items('snapshot') },
            ...COMMIT_PHASES,
          }),
        });
        rejects?.keep();
        const took = performance.now() - started;
        for (const line of conflictLines(summary)) terminal.warn(line);
        const rereads = options.rejects === undefined ? '' : await terminal.command('observe', {}, [options.rejects]);
        terminal.summary({ ...summary, dry_run: options.dryRun ?? false, store: options.store, milliseconds: Math.round(took) }, [
          `observed ${plural(inputs.length, 'source')} in ${seconds(took)}`,
          `  snapshots ${number(summary.snapshots)}: ${number(summary.snapshots - summary.unchanged)} with changes, ${number(summary.unchanged)} without`,
          `  records   ${recordsLine(summary)}`,
          `  accounts  ${number(summary.accounts.added)} new, ${number(summary.accounts.renamed)} renamed`,
          ...(summary.excluded === 0 ? [] : [`  excluded  ${plural(summary.excluded, 'snapshot')}, of accounts that were removed before`]),
          ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
          ...(summary.rejected === 0 ? [] : [`to observe the rejected items: correct them in ${options.rejects}, then run ${rereads}`]),
          options.dryRun
            ? `nothing was written: run again without --dry-run to add this to ${options.store}`
            : await nextBuild(terminal, isChanged(summary)),
        ]);
      } finally {
        rejects?.discard();
        remote.close();
      }
    });
}

/** Returns the options of a run that decide what a snapshot means, to repeat them in a suggested command. */
function observeOptions({
  from,
  observedAt,
  unescape: isUnescaped,
}: {
  from: string;
  observedAt?: Instant | undefined;
  unescape?: true | undefined;
}) {
  return {
    ...(from === 'auto' ? {} : { '--from': from }),
    ...(observedAt === undefined ? {} : { '--observed-at': timestampOf(observedAt) }),
    ...(isUnescaped === undefined ? {} : { '--unescape': isUnescaped }),
  };
}

/** The first conflicts as text: snapshots of one account and one time with different values. */
function conflictLines({ conflicts: { count, listed } }: ObserveSummary): string[] {
  if (count === 0) return [];
  const lines = listed.slice(0, PRINTED_CONFLICTS).map(({ account, data_type, observed_at, values }) => {
    const versions = values.map(({ text, recorded, file, line }) => {
      const place = file === undefined ? 'already in the store' : `${file}, line ${line}`;
      return `${show(text)} (${place}${recorded ? '' : '; not recorded'})`;
    });
    return printable(`${data_type} of ${account} at ${observed_at}: ${versions.join(', ')}`);
  });
  const more = count > lines.length ? [`${number(count - lines.length)} more: --json lists the first ${number(listed.length)}`] : [];
  return [`${plural(count, 'conflict')}: snapshots of the same account and time have different values of a field`, ...lines, ...more];
}

/** Whether a run changed the pages that a build writes. */
function isChanged({ records, accounts }: ObserveSummary): boolean {
  return [...Object.values(records), accounts.added, accounts.renamed].some((count) => count > 0);
}

function recordsLine({ records }: ObserveSummary): string {
  const all = Object.values(records).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(records).map(([type, count]) => `${type} ${number(count)}`);
  return all === 0 ? '0 new' : `${number(all)} new: ${parts.join(', ')}`;
}

/**
 * Parses an http or https URL that has {} after the host. Profiles supply the replacement of {}, and they must not be able to
 * choose the host of a link.
 */
function template(text: string): string {
  const [one, other] = ['a', 'b'].map((name) => text.replaceAll('{}', name));
  const isWeb = /^https?:\/\/[^/\\]/i.test(text) && !UNSAFE.test(text);
  if (isWeb && one !== undefined && other !== undefined && one !== other && URL.canParse(one) && URL.canParse(other)) {
    const { origin, username, password } = new URL(one);
    if (origin === new URL(other).origin && username === '' && password === '') return text;
  }
  throw new InvalidArgumentError('Expected an http or https URL with {} in its path, query or fragment, such as https://example.org/@{}.');
}
