import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { FAILURES, Failure } from '../contract/failure.ts';
import { DEFAULT_CACHE_CONTROL } from '../publish/objects/headers.ts';
import { plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addToJobSummary, refusalTable } from './job-summary.ts';
import { days, MOST_PERIODS } from './keep-rule.ts';
import { DEFAULT_OUT, DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { planLines, planObject, publishTable, summaryLines } from './publish-report.ts';
import { publishVersions, refusePagesOnly, refuseVersionsOnly, usesVersions } from './publish-versions.ts';
import { addTargetOptions, requestsOf, TARGET_HELP, targetOf, trafficOf } from './target-options.ts';

export function declarePublish(program: Program, terminal: Terminal): void {
  addTargetOptions(
    program
      .command('publish')
      .summary('upload the tree to object storage or a folder')
      .description(
        'Uploads new and changed files of the tree to object storage or a folder. The order of uploads ensures that a reader who ' +
          'follows the next links misses no record. Compares the tree with the manifest of the last run at the target. A tree in ' +
          'a ZIP becomes a new version: earlier versions stay readable.',
      )
      .argument('<target>', TARGET_HELP)
      .addOption(new Option('--out <path>', 'the tree: a folder, or a ZIP').env('PALIMPSEST_OUT').argParser(path).default(DEFAULT_OUT))
      .addOption(new Option('--plan', 'show every upload and delete with its reason, and change nothing').env('PALIMPSEST_PLAN'))
      .addOption(
        new Option(
          '--max-delete <limit>',
          'pages: refuse to delete more files than this: a number, or a percentage of the files at the target',
        )
          .env('PALIMPSEST_MAX_DELETE')
          .argParser(limit)
          .default({ share: 0.1 }, '10%'),
      )
      .addOption(
        new Option('--allow-gaps', 'pages: publish even if readers may miss records that move to earlier pages').env(
          'PALIMPSEST_ALLOW_GAPS',
        ),
      )
      .addOption(
        new Option('--allow-loopback', 'publish even if the base URL of the tree is localhost or a loopback address').env(
          'PALIMPSEST_ALLOW_LOOPBACK',
        ),
      )
      .addOption(
        new Option('--allow-other-base-url', 'publish even if the tree has another base URL than the one at the target').env(
          'PALIMPSEST_ALLOW_OTHER_BASE_URL',
        ),
      )
      .addOption(
        new Option('--allow-other-files', 'publish into a folder that already contains other files').env('PALIMPSEST_ALLOW_OTHER_FILES'),
      )
      .addOption(
        new Option('--repair', 'check the target and repair it: the hash of every file; for versions, the SHA-256 of every version').env(
          'PALIMPSEST_REPAIR',
        ),
      )
      .addOption(
        new Option('--cache-control <text>', 'the Cache-Control header of pages')
          .env('PALIMPSEST_CACHE_CONTROL')
          .argParser(headerText)
          .default(DEFAULT_CACHE_CONTROL),
      )
      .addOption(new Option('--gzip', 'pages: upload them compressed, with Content-Encoding: gzip').env('PALIMPSEST_GZIP'))
      .addOption(
        new Option('--store <file>', 'the store that the tree was built from; for pages, it tells which accounts were removed')
          .env('PALIMPSEST_STORE')
          .argParser(path)
          .default(DEFAULT_STORE),
      )
      .addOption(
        new Option('--rollback [number]', 'versions: go back to an earlier version at the target (default: the one before)')
          .env('PALIMPSEST_ROLLBACK')
          .argParser(versionNumber),
      )
      .addOption(
        new Option(
          '--keep <days>',
          'versions: keep those that were current in this time, such as 90d (default: keep all; a version that matches no given rule is deleted)',
        )
          .env('PALIMPSEST_PUBLISH_KEEP')
          .argParser(days),
      )
      .addOption(
        new Option('--keep-daily <n>', 'versions: also keep the last version of each of the last <n> days that have one (UTC)')
          .env('PALIMPSEST_PUBLISH_KEEP_DAILY')
          .argParser(wholeNumber(1, MOST_PERIODS)),
      )
      .addOption(
        new Option('--keep-monthly <n>', 'versions: also keep the last version of each of the last <n> months that have one (UTC)')
          .env('PALIMPSEST_PUBLISH_KEEP_MONTHLY')
          .argParser(wholeNumber(1, MOST_PERIODS)),
      )
      .addOption(
        new Option(
          '--rewrite-versions',
          'versions: after a removal, rebuild earlier versions without the account instead of deleting them',
        ).env('PALIMPSEST_REWRITE_VERSIONS'),
      )
      .addOption(
        new Option('--replace', 'for a ZIP: publish even if the store never had the state of the current version').env(
          'PALIMPSEST_REPLACE',
        ),
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
        ['palimpsest publish s3://bucket/history --plan', 'every upload and delete with its reason, and the cost'],
        ['palimpsest publish s3://bucket --endpoint https://store.example', 'to any object store with the S3 API'],
        ['palimpsest publish /var/www/history', 'to a folder that a web server serves'],
        ['palimpsest publish s3://bucket/history --out history.zip --keep 90d', 'a new version; those of the last 90 days stay readable'],
        ['palimpsest publish s3://bucket/history --rollback', 'go back to the version before the current one'],
      ),
    )
    .action(async (address, options, command) => {
      terminal.setOutput(options);
      const started = performance.now();
      const dryRun = options.plan === true;
      if (usesVersions(options)) {
        // a variable can be for another command of the same job
        const hasLimit = command.getOptionValueSource('maxDelete') === 'cli';
        refusePagesOnly({ ...options, maxDelete: hasLimit ? options.maxDelete : undefined });
        const rule = (name: 'keep' | 'keepDaily' | 'keepMonthly') =>
          options.rollback !== undefined && command.getOptionValueSource(name) === 'env' ? undefined : options[name];
        const rules = { keep: rule('keep'), keepDaily: rule('keepDaily'), keepMonthly: rule('keepMonthly') };
        return await publishVersions(terminal, address, { ...options, ...rules }, started);
      }
      refuseVersionsOnly(options);
      const [{ publish }, target, { refuseSwapped }, { exclusionsOf }] = await Promise.all([
        import('../publish/publish.ts'),
        targetOf(address, options, terminal),
        import('../publish/trees/other-files.ts'),
        import('../store/allow.ts'),
      ]);
      if (!options.allowOtherFiles) refuseSwapped(target, options.out);
      if (options.gzip && target.keepsHeaders === false) throw compressedFiles();
      const summary = await publish(target, {
        out: options.out,
        ...requestsOf(options, terminal),
        maxDelete: options.maxDelete,
        allowGaps: options.allowGaps === true,
        allowLoopback: options.allowLoopback === true,
        allowOtherBaseUrl: options.allowOtherBaseUrl === true,
        allowOtherFiles: options.allowOtherFiles === true,
        cacheControl: options.cacheControl,
        gzip: options.gzip === true,
        repair: options.repair === true,
        isSinglePublisher: options.singlePublisher === true,
        exclusions: () => (existsSync(options.store) ? exclusionsOf(options.store, []) : []),
        dryRun: dryRun,
        onProgress: terminal.progress({
          read: { label: 'reading the tree', amount: items('file') },
          scan: { label: 'reading the target', amount: items('file') },
          send: { label: 'sending', amount: size },
          delete: { label: 'deleting', amount: items('file') },
        }),
      }).finally(() => target.close());
      const milliseconds = Math.round(performance.now() - started);
      const facts = { target: target.name, out: options.out, milliseconds };
      if (summary.isByCounts) {
        terminal.warn('the target has no sort keys of its pages: records that move to earlier pages are detected only from the counts');
      }
      if (dryRun) {
        terminal.summary({ ...facts, ...planObject(summary) }, planLines(summary, target));
        // the exit code stops a job at the plan, before the publish
        for (const refusal of summary.refusals) {
          terminal.exitCode = FAILURES[refusal.code].exit;
          addToJobSummary(terminal, refusalTable(refusal));
        }
        return;
      }
      if (summary.isConditional === false) {
        terminal.warn('this object store has no conditional writes: two publishes at the same time may not detect each other');
      }
      if (summary.left > 0) {
        terminal.warn(
          `${plural(summary.left, 'file')} that the tree no longer has will be deleted by the next run: run the same command again`,
        );
        terminal.exitCode = 1;
      }
      terminal.summary(
        {
          ...facts,
          done: summary.done,
          unchanged: summary.plan.unchanged,
          resumed: summary.wasInterrupted,
          requests: trafficOf(summary.traffic),
          bytes: summary.traffic.sent,
          readerGaps: summary.plan.readerGaps,
          left: summary.left,
          removal: summary.removal ?? null,
          conditional: summary.isConditional ?? null,
          invalidate: summary.invalidate,
        },
        summaryLines(summary, target, seconds(milliseconds)),
      );
      addToJobSummary(terminal, publishTable(summary, target, seconds(milliseconds)));
    });
}

/** Parses a number of files, or a percentage such as `10%`. */
function limit(text: string): { readonly most: number } | { readonly share: number } {
  const match = /^(\d{1,9})(%?)$/.exec(text);
  if (match === null || (match[2] === '%' && Number(match[1]) > 100)) {
    throw new InvalidArgumentError('Expected a number of files, or a percentage such as 10%.');
  }
  return match[2] === '%' ? { share: Number(match[1]) / 100 } : { most: Number(match[1]) };
}

/** Parses the number of a version. A word after `--rollback` is its value, also if the user meant the target. */
function versionNumber(text: string): number {
  const value = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (value >= 1) return value;
  throw new InvalidArgumentError('Expected the number of a version, or no value; write the target before --rollback.');
}

/** Checks that a text survives as the value of a header, byte for byte. */
function headerText(text: string): string {
  if (/^([!-~]([\t -~]*[!-~])?)?$/.test(text)) return text;
  throw new InvalidArgumentError('Expected one line of printable ASCII without spaces at its ends, such as "public, max-age=60".');
}

function compressedFiles(): Failure {
  return new Failure('usage', 'a folder cannot store the Content-Encoding of compressed pages', {
    expected: 'a target that stores Content-Encoding',
    found: 'a folder, with --gzip',
    hint: 'leave out --gzip, and let the web server compress',
  });
}
