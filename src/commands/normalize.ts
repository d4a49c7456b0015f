import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { schemeOf } from '../contract/url.ts';
import type { PartFile } from '../normalize/part-file.ts';
import { MAX_PARTS } from '../sources/part-header.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { allRejected } from './all-rejected.ts';
import { hintCommandFor } from './hint-command.ts';
import { pathTimeLines, skippedLines } from './observe-report.ts';
import { examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';
import { addSnapshotOptions, latestTime, observeOptions } from './snapshot-options.ts';
import { addSourceOptions, remoteSources, SOURCE_HELP, type SourceChoice, sources } from './source-options.ts';
import { requestsOf, targetOf } from './target-options.ts';

/** The maximum number of concurrent requests. */
const CONCURRENCY = 4;

export function declareNormalize(program: Program, terminal: Terminal): void {
  const command = program
    .command('normalize')
    .summary('write profile snapshots in one format, also in parts on many machines')
    .description(
      'Reads profile snapshots as observe does, and writes them as neutral snapshots: NDJSON, with each profile once and all its times. ' +
        'observe reads the files and gives the same store as from the sources. With --shard, each run reads one shard of the sources and writes one part.',
    )
    .argument('<source...>', SOURCE_HELP, sources)
    .addOption(
      new Option('--to <file>', 'the file to write, or s3://bucket/prefix/file; compressed if its name ends in .gz')
        .env('PALIMPSEST_TO')
        .argParser(partName)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--shard <i/n>', 'read only shard I of N, such as 7/16; I counts from 0')
        .env('PALIMPSEST_SHARD')
        .argParser(shardOf)
        .default({ number: 0, shards: 1 }, '0/1'),
    );
  addSourceOptions(addSnapshotOptions(command))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest normalize grab-2017/ --to snapshots-2017.ndjson.gz', 'the snapshots of an archive, in one file that is easy to read'],
        ['palimpsest normalize grab-2017/ --shard 7/16 --to run/part-7.ndjson.gz', 'one of 16 parts; then: palimpsest observe run/'],
        ['palimpsest normalize s3://grabs/2017 --shard 7/16 --to s3://private-bucket/run/part-7.ndjson.gz', 'without a shared folder'],
      ),
    )
    .action(async (addresses, options) => {
      terminal.setOutput(options);
      const { shard, to } = options;
      if (shard.shards > 1 && addresses.includes('-')) throw standardInput();
      const [{ inputNamed, inputsOf }, { RejectsFile }, { normalizeSources }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/rejects.ts'),
        import('../normalize/normalize.ts'),
      ]);
      const started = performance.now();
      const patterns = { include: options.include ?? [], exclude: options.exclude ?? [] };
      const remote = remoteSources(options, terminal, `${to} was not written`);
      const inputs = inputsOf(addresses, terminal.io.stdin, patterns, remote);
      const paths = inputs.flatMap((input) => input.path ?? []);
      const [{ isSameFile }, hintCommand] = await Promise.all([
        import('../export/export-file.ts'),
        hintCommandFor(terminal, addresses, observeOptions(options)),
      ]);
      if (paths.some((source) => isSameFile(source, to))) throw overwritesSource(to);
      const rejects = options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [...paths, to]);
      const from = options.from === 'auto' ? undefined : options.from;
      const progress = terminal.progress({
        read: { label: 'reading', amount: size },
        write: { label: 'writing', amount: items('snapshot') },
        upload: { label: 'uploading', amount: size },
      });
      let sent = 0;
      const { file, close } = await openPart(to, options, terminal, (bytes) => {
        sent += bytes;
        progress('upload', sent, 0);
      });
      try {
        const summary = await normalizeSources(inputs, file, {
          shard,
          patterns,
          snapshots: {
            from,
            observedAt: options.observedAt,
            latest: latestTime(options),
            unescape: options.unescape ?? false,
            command: hintCommand,
            openAgain: (name) => inputNamed(name, remote),
          },
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: progress,
        });
        rejects?.keep();
        if (options.rejects !== undefined && summary.bytes === 0) throw allRejected('normalize', summary.rejected, options.rejects);
        const took = performance.now() - started;
        const isPart = shard.shards > 1;
        const next = await terminal.command('observe', {}, [isPart ? to.slice(0, to.lastIndexOf('/') + 1) || '.' : to]);
        terminal.summary({ to, part: shard.number, parts: shard.shards, ...summary, milliseconds: Math.round(took) }, [
          `wrote ${to} (${size(summary.bytes)}) in ${seconds(took)}`,
          `  sources   ${number(summary.sources.part)} of ${number(summary.sources.all)}`,
          `  snapshots ${number(summary.snapshots)}, in ${plural(summary.profiles, 'line')}`,
          ...pathTimeLines(summary.path_times),
          ...skippedLines(summary),
          ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
          isPart ? `next, after all ${plural(shard.shards, 'part')}: ${next}` : `next: ${next}`,
        ]);
      } finally {
        rejects?.discard();
        remote.close();
        close();
      }
    });
}

/** Opens the file to write. An object is in the last part of its address. */
async function openPart(
  to: string,
  choice: SourceChoice,
  terminal: Terminal,
  onSent: (bytes: number) => void,
): Promise<{ readonly file: PartFile; readonly close: () => void }> {
  const { localPart, objectPart } = await import('../normalize/part-file.ts');
  if (schemeOf(to) === undefined) return { file: localPart(to), close: () => {} };
  const slash = to.lastIndexOf('/');
  const access = { ...choice, concurrency: CONCURRENCY };
  const [target, { openRemote }] = await Promise.all([targetOf(to.slice(0, slash), access, terminal), import('../storage/remote.ts')]);
  const remote = openRemote(target, { ...requestsOf(access, terminal), kept: `${to} was not written` });
  return { file: objectPart(remote, to.slice(slash + 1), onSent), close: () => target.close() };
}

function partName(text: string): string {
  const isObject = /^s3:\/\/[^/]+\/./i.test(text);
  if (!/[^/]\.ndjson(\.gz)?$/.test(text)) throw new InvalidArgumentError('Expected a name that ends in .ndjson or .ndjson.gz.');
  return isObject ? text : path(text);
}

/** Parses `I/N`. */
function shardOf(text: string): { readonly number: number; readonly shards: number } {
  const [, first = '', second = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const [index, shards] = [Number(first), Number(second)];
  if (second !== '' && shards <= MAX_PARTS && index < shards) return { number: index, shards };
  throw new InvalidArgumentError(`Expected I/N, such as 0/4: N from 1 to ${MAX_PARTS}, and I from 0 to N - 1.`);
}

function standardInput(): Failure {
  return new Failure('usage', 'standard input cannot be divided into shards', {
    expected: 'sources that each run can read',
    found: '-',
    hint: 'write it to a file that all runs share, and name that file',
  });
}

function overwritesSource(file: string): Failure {
  return new Failure('usage', `${file} is one of the sources`, {
    expected: 'another file for the snapshots, outside of the sources',
    found: 'a source',
    hint: 'name another file with --to',
  });
}
