import type { SNAPSHOT_OPTIONS, SOURCE_OPTIONS } from '../command-line/shared-options.ts';
import type { ValuesOf } from '../command-line/spec.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { type Hint, hintText, type SuggestedCommand, suggested } from '../contract/hint.ts';
import { DAY_MS, type Instant, timestampOf } from '../contract/instant.ts';
import type { HintCommand, Verb } from '../sources/hint-command.ts';
import type { FilePatterns } from '../sources/inputs/file-filter.ts';
import { inputNamed, inputsOf } from '../sources/inputs/inputs.ts';
import { RejectsFile } from '../sources/rejects/rejects-file.ts';
import type { PathTimes } from '../sources/snapshots/path-time.ts';
import type { ObserveContext } from '../sources/snapshots/snapshot-reader.ts';
import type { Input, InputError, RemoteSources } from '../sources/source.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import { RejectReasons } from './reject-reasons.ts';
import { requestsOf, sourceTargetOf } from './target-options.ts';

/** The options that determine how sources on other machines are accessed. */
export type SourceChoice = ValuesOf<typeof SOURCE_OPTIONS>;
type SnapshotChoice = ValuesOf<typeof SNAPSHOT_OPTIONS>;

interface Sources {
  readonly inputs: Input[];
  readonly patterns: FilePatterns;
  /** Returns the commands that hints about the sources show. */
  readonly command: HintCommand;
  /** The options of every reader. */
  readonly reading: {
    readonly openAgain: (name: string) => Input;
    /** Adds an item to the rejects file, if there is one. */
    readonly onReject: ((inputError: InputError) => void) | undefined;
    readonly beforeCommit: (() => Promise<void>) | undefined;
    readonly signal: AbortSignal;
  };
  /**
   * Keeps the rejects file after everything is written.
   * @param refusal why nothing was added; it is thrown
   * @throws Failure all-rejected, future-time
   */
  readonly keepRejects: (verb: Verb | 'normalize', rejected: number, isAll: boolean, refusal?: Failure) => void;
  /** Closes all connections, and removes the rejects file of a command that did not end. */
  readonly close: () => void;
}

/**
 * Finds the sources of a command.
 * @param written what the command writes, which no rejects file may replace
 * @param kept the state of everything after a stop, for the message
 * @param observeOptions the options to repeat in suggested commands that observe
 */
export function openSources(
  options: SourceChoice &
    Pick<SnapshotChoice, 'include' | 'exclude' | 'rejects'> & { readonly source: readonly string[]; readonly dryRun?: boolean },
  terminal: Terminal,
  written: string,
  kept: string,
  observeOptions: SuggestedCommand['options'] = {},
): Sources {
  const { source, include = [], exclude = [] } = options;
  const patterns = { include, exclude };
  const remote = remoteSources(options, terminal, kept);
  const inputs = inputsOf(source, terminal.io.stdin, patterns, remote);
  const rejects =
    options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [written, ...inputs.flatMap((input) => input.path ?? [])]);
  const reasons = new RejectReasons();
  let otherCommand: string | undefined;
  let isForOtherCommand = true;
  return {
    inputs,
    patterns,
    command: (verb, one, more = {}) => {
      const args = verb === 'export ndjson' ? [] : one === undefined ? source : [one];
      // a run over the same sources reads the same files
      const excluded = [...exclude, ...[more['--exclude'] ?? []].flat().map(String)];
      const filters = one === undefined && verb !== 'export ndjson' ? { '--include': include, '--exclude': excluded } : {};
      return terminal.render(suggested(verb, { ...(verb === 'observe' ? observeOptions : {}), ...more, ...filters }, args));
    },
    reading: {
      openAgain: (name) => inputNamed(name, remote),
      onReject:
        rejects &&
        ((inputError) => {
          reasons.add(inputError);
          otherCommand ??= inputError.otherCommand?.hintForAll;
          isForOtherCommand &&= inputError.otherCommand !== undefined;
          rejects.add(inputError);
        }),
      beforeCommit: options.dryRun ? undefined : rejects && (() => rejects.append()),
      signal: terminal.stopSignal,
    },
    keepRejects: (verb, rejected, isAll, refusal) => {
      rejects?.keep();
      if (refusal?.code === 'too-many-rejects' && rejects !== undefined)
        throw refusal.with({ place: options.dryRun ? {} : { file: rejects.path }, found: reasons.explain(refusal.found ?? '') });
      if (refusal !== undefined) throw refusal;
      if (rejects === undefined || !isAll) return;
      const wrongClock = reasons.wrongClock(kept);
      if (wrongClock !== undefined) throw wrongClock;
      throw new Failure('all-rejected', 'no item was accepted, and the store is unchanged', {
        place: { file: rejects.path },
        expected: 'at least one item that can be added to the store',
        found: reasons.explain(plural(rejected, 'rejected item')),
        hint:
          isForOtherCommand && otherCommand !== undefined
            ? otherCommand
            : options.dryRun
              ? `run again without --dry-run to write the items to ${rejects.path}`
              : correctionOf(verb, rejects.path),
      });
    },
    close: () => {
      rejects?.discard();
      remote.close();
    },
  };
}

/** Says how many items were rejected. A dry run writes no rejects file. */
export function rejectedLine(
  rejected: number,
  { rejects, dryRun }: { readonly rejects?: string | undefined; readonly dryRun: boolean },
): Line {
  return rejected > 0 && `  rejected  ${number(rejected)}${dryRun ? '' : `, written to ${rejects}`}`;
}

export function pathTimeLine({ count, first, last }: PathTimes): Line {
  const range = first === last ? first : `${first} to ${last}`;
  return count > 0 && `  times     ${range}: ${plural(count, 'snapshot')} with the time in the name of the file or folder`;
}

/** Which files were not read, as text. */
export function skippedLine({ skipped }: { readonly skipped: number }): Line {
  return skipped > 0 && `  skipped   ${plural(skipped, 'file')} of Twitter archives, which do not describe the account`;
}

/** What to do with rejected items; false if there are none. A dry run writes no file of them. */
export function correctionLine(
  verb: Verb,
  rejected: number,
  { rejects = '', dryRun }: { readonly rejects?: string | undefined; readonly dryRun: boolean },
  terminal: Terminal,
): Line {
  if (rejected === 0 || dryRun) return false;
  return `to ${verb} the rejected items: ${hintText(correctionOf(verb, rejects), terminal.render)}`;
}

/** Returns what to do with rejected items. A rejects file is no way to read files that were fetched again: most of its lines have the item itself. */
function correctionOf(verb: Verb | 'normalize', rejects: string): Hint {
  return [
    `correct the items in ${rejects}, then run `,
    suggested(verb, {}, [rejects]),
    '; or fetch the files that it names again, then run the same command again',
  ];
}

/** The last line of a dry run. */
export function nothingWritten(store: string): string {
  return `nothing was written: run again without --dry-run to add this to ${store}`;
}

/**
 * Returns the latest time that a snapshot may have; undefined: any.
 * @throws Failure future-time if --observed-at is later
 */
export function latestTime({ observedAt = 0, allowFuture }: SnapshotChoice): Instant | undefined {
  if (allowFuture) return undefined;
  const latest = (Date.now() + DAY_MS) * 1000;
  if (observedAt <= latest) return latest;
  throw new Failure('future-time', '--observed-at is in the future', {
    expected: `a time up to ${timestampOf(latest)}, a day after now`,
    found: timestampOf(observedAt),
    hint: 'correct the clock or the time, or accept it with --allow-future; nothing was read',
  });
}

/** Returns the options of a run that decide what a snapshot means, to repeat them in a suggested command. */
export function observeOptions({ from, observedAt, allowFuture, unescape: isUnescaped }: SnapshotChoice): SuggestedCommand['options'] {
  return {
    ...(from === 'auto' ? {} : { '--from': from }),
    ...(observedAt === undefined ? {} : { '--observed-at': timestampOf(observedAt) }),
    ...(allowFuture ? { '--allow-future': true } : {}),
    ...(isUnescaped ? { '--unescape': true } : {}),
  };
}

/**
 * Returns what the options of a run say about its snapshots.
 * @param latest the latest time that a snapshot may have
 */
export function contextOf(
  { from, observedAt, unescape: isUnescaped }: SnapshotChoice,
  { command, reading }: Sources,
  latest: Instant | undefined,
): ObserveContext & Required<Pick<ObserveContext, 'openAgain'>> {
  return { from: from === 'auto' ? undefined : from, observedAt, latest, unescape: isUnescaped, command, openAgain: reading.openAgain };
}

/** @param kept the state of everything after a stop, for the message */
function remoteSources(choice: SourceChoice, terminal: Terminal, kept: string): RemoteSources & { readonly close: () => void } {
  const closers: (() => void)[] = [];
  const access = { ...choice, concurrency: 1 };
  const options = { ...requestsOf(access, terminal), kept };
  const optionsOf = (name: string) => {
    const onRetry = (reason: string, pause: number) => terminal.warn(`${name}: ${reason}: retrying in ${seconds(pause)}`);
    return { ...options, retryPolicy: { ...options.retryPolicy, onRetry } };
  };
  return {
    async *objects(address) {
      const [source, { openReader }] = await Promise.all([sourceTargetOf(address, access, terminal), import('../storage/remote.ts')]);
      closers.push(() => source.close());
      const reader = openReader(source, optionsOf(source.name));
      for await (const { path, size } of reader.list()) {
        const name = path === '' ? source.name : `${source.name}/${path}`;
        yield { name, path, size, open: () => reader.read(path) };
      }
    },
    async *download(url) {
      const [{ webSource }, { openReader }, { USER_AGENT }] = await Promise.all([
        import('../storage/http-source.ts'),
        import('../storage/remote.ts'),
        import('../version.ts'),
      ]);
      const { origin, pathname } = new URL(url);
      const source = webSource(url, origin + pathname, USER_AGENT);
      closers.push(() => source.close());
      yield* openReader(source, optionsOf(source.name)).read('');
    },
    close: () => {
      for (const close of closers) close();
    },
  };
}
