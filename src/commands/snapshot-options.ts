import { type Command, type CommandUnknownOpts, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import type { SuggestedCommand } from '../contract/hint.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { FORMAT_NAMES, type FormatName } from '../sources/formats/format.ts';
import { instant, path, texts } from './options.ts';

const DAY_MS = 86_400_000;
/** Characters that a URL parser drops or rewrites. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const UNSAFE = /[\s\u0000-\u001f\u007f-\u009f\\]/;

/** The options of every command that reads snapshots. A type, because commander cannot intersect its options with an interface. */
export type SnapshotChoice = {
  /** The name of the format; auto: detect it. */
  readonly from: FormatName | 'auto';
  readonly observedAt?: Instant | undefined;
  readonly allowFuture?: true | undefined;
  readonly rejects?: string | undefined;
  readonly include?: string[] | undefined;
  readonly exclude?: string[] | undefined;
  readonly unescape?: true | undefined;
};

/** The options of every command that renders differences. */
export type NetworkChoice = {
  readonly mentionUrl: string;
  readonly hashtagUrl: string;
};

export function addSnapshotOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
): Command<Arguments, Options & SnapshotChoice>;
// an overload, because commander cannot infer the options of any command together with these
export function addSnapshotOptions(command: CommandUnknownOpts): CommandUnknownOpts {
  return command
    .addOption(
      new Option('--from <format>', 'the format of the snapshots; auto detects it from the content')
        .env('PALIMPSEST_FROM')
        .choices(['auto', ...FORMAT_NAMES])
        .default('auto'),
    )
    .addOption(
      new Option('--observed-at <time>', 'the time of snapshots that contain no time').env('PALIMPSEST_OBSERVED_AT').argParser(instant),
    )
    .addOption(
      new Option('--allow-future', 'accept snapshots with a time more than a day ahead of the clock').env('PALIMPSEST_ALLOW_FUTURE'),
    )
    .addOption(
      new Option('--rejects <file>', 'write input that cannot be used to this file, and observe the rest')
        .env('PALIMPSEST_REJECTS')
        .argParser(path),
    )
    .addOption(new Option('--include <glob>', 'read only files that match; can be repeated').env('PALIMPSEST_INCLUDE').argParser(texts))
    .addOption(new Option('--exclude <glob>', 'do not read files that match; can be repeated').env('PALIMPSEST_EXCLUDE').argParser(texts))
    .addOption(new Option('--unescape', 'decode &amp; &lt; &gt; in texts, which Twitter delivered escaped').env('PALIMPSEST_UNESCAPE'));
}

export function addNetworkOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
): Command<Arguments, Options & NetworkChoice>;
export function addNetworkOptions(command: CommandUnknownOpts): CommandUnknownOpts {
  return command
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
    );
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
    ...(allowFuture === undefined ? {} : { '--allow-future': allowFuture }),
    ...(isUnescaped === undefined ? {} : { '--unescape': isUnescaped }),
  };
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
