import type { Values } from '../command-line/commands.ts';
import { number, plural, seconds, size } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { isSameFile } from '../contract/files/same-file.ts';
import { schemeOf } from '../contract/files/url-scheme.ts';
import { normalizeSources } from '../normalize/normalize.ts';
import { localPart, objectPart, type PartFile } from '../normalize/part-file.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { refuseInsideTree } from '../tree/existing-tree.ts';
import { contextOf, latestTime, observeOptions, openSources, pathTimeLine, type SourceChoice, skippedLine } from './sources.ts';
import { requestsOf, targetOf } from './target-options.ts';

/** The maximum number of concurrent requests. */
const CONCURRENCY = 4;

export async function runNormalize(terminal: Terminal, options: Values<'normalize'>): Promise<void> {
  const { shard, to } = options;
  if (shard.shards > 1 && options.source.includes('-')) throw standardInput();
  const sources = openSources(options, terminal, to, `${to} was not written`, observeOptions(options));
  const { inputs, patterns, reading } = sources;
  if (inputs.some(({ path }) => path !== undefined && isSameFile(path, to))) throw overwritesSource(to);
  const progress = terminal.progress({
    read: { label: 'reading', amount: bytes },
    write: { label: 'writing', amount: items('snapshot') },
    upload: { label: 'uploading', amount: bytes },
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
      ...reading,
      snapshots: contextOf(options, sources, latestTime(options)),
      onProgress: progress,
    });
    sources.keepRejects('normalize', summary.rejected, summary.bytes === 0);
    const milliseconds = terminal.elapsed();
    const isPart = shard.shards > 1;
    const next = terminal.command('observe', {}, [isPart ? to.slice(0, to.lastIndexOf('/') + 1) || '.' : to]);
    terminal.summary({ to, part: shard.number, parts: shard.shards, ...summary, milliseconds }, [
      `wrote ${to} (${size(summary.bytes)}) in ${seconds(milliseconds)}`,
      `  sources   ${number(summary.sources.part)} of ${number(summary.sources.all)}`,
      `  snapshots ${number(summary.snapshots)}, in ${plural(summary.profiles, 'line')}`,
      pathTimeLine(summary.path_times),
      skippedLine(summary),
      summary.rejected > 0 && `  rejected  ${number(summary.rejected)}, written to ${options.rejects}`,
      isPart ? `next, after all ${plural(shard.shards, 'part')}: ${next}` : `next: ${next}`,
    ]);
  } finally {
    sources.close();
    close();
  }
}

/** Opens the file to write. An object is in the last part of its address. */
async function openPart(
  to: string,
  choice: SourceChoice,
  terminal: Terminal,
  onSent: (bytes: number) => void,
): Promise<{ readonly file: PartFile; readonly close: () => void }> {
  if (schemeOf(to) === undefined) {
    refuseInsideTree(to);
    return { file: localPart(to), close: () => {} };
  }
  const slash = to.lastIndexOf('/');
  const access = { ...choice, concurrency: CONCURRENCY };
  const [target, { openRemote }] = await Promise.all([targetOf(to.slice(0, slash), access, terminal), import('../storage/remote.ts')]);
  const remote = openRemote(target, { ...requestsOf(access, terminal), kept: `${to} was not written` });
  return { file: objectPart(remote, to.slice(slash + 1), onSent), close: () => target.close() };
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
