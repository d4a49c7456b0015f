import { type Command, type CommandUnknownOpts, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import type { ObjectSource } from '../storage/object-source.ts';
import type { RemoteOptions } from '../storage/remote.ts';
import type { RequestCounter } from '../storage/request-counter.ts';
import type { Access, Target } from '../storage/target.ts';
import { plural, size } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wholeNumber } from './options.ts';

/** The maximum number of attempts for one request. */
const MAX_ATTEMPTS = 12;

/** The help text of the argument of every command that uses a target. */
export const TARGET_HELP = 's3://bucket/prefix, az://container/prefix, or a folder';

/** The options that determine how a target is accessed. */
export interface TargetChoice {
  readonly concurrency: number;
  readonly prefix?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly timeout: number;
}

type AnyOption = Parameters<CommandUnknownOpts['addOption']>[0];

/** Adds the options of every command that uses a target. */
export function addTargetOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
): Command<Arguments, Options & TargetChoice>;
// an overload, because commander cannot infer the options of any command together with these
export function addTargetOptions(command: CommandUnknownOpts): CommandUnknownOpts {
  return command
    .hook('preAction', refuseStoreOptionsOfFolder)
    .addOption(
      new Option('--concurrency <n>', 'the maximum number of concurrent requests')
        .env('PALIMPSEST_CONCURRENCY')
        .argParser(wholeNumber(1, 256))
        .default(32),
    )
    .addOption(new Option('--prefix <path>', 'the path below the target to use').env('PALIMPSEST_PREFIX'))
    .addOption(endpointOption())
    .addOption(regionOption())
    .addOption(timeoutOption());
}

/**
 * Refuses an option of object stores if the target is a folder, because a user who forgets `s3://` would publish to a new folder.
 * A variable is not refused: other commands of the same job may need it.
 */
function refuseStoreOptionsOfFolder(command: CommandUnknownOpts): void {
  const [address = ''] = command.args;
  if (/^[a-z][a-z\d+.-]+:/i.test(address)) return;
  for (const option of ['endpoint', 'region']) {
    if (command.getOptionValueSource(option) !== 'cli') continue;
    const looksLikeBucket = /^[a-z\d][a-z\d.-]+(\/[^/]+)*\/?$/.test(address);
    throw new Failure('usage', `--${option} cannot be used with a folder`, {
      place: { field: `--${option}` },
      expected: 's3://bucket/prefix or az://container/prefix',
      found: `the folder ${address}`,
      hint: looksLikeBucket ? `did you mean s3://${address}? For a folder, leave out --${option}` : `for a folder, leave out --${option}`,
    });
  }
}

export function endpointOption(): AnyOption {
  return new Option('--endpoint <url>', 'the address of the object store (default: the address of the cloud provider)').env(
    'PALIMPSEST_ENDPOINT',
  );
}

export function regionOption(): AnyOption {
  return new Option('--region <name>', 'the region of the bucket').env('PALIMPSEST_REGION').argParser(regionName);
}

export function timeoutOption(): AnyOption {
  return new Option('--timeout <seconds>', 'the time after which a request is retried')
    .env('PALIMPSEST_TIMEOUT')
    .argParser(wholeNumber(1, 3600))
    .default(30);
}

/**
 * Opens the target in a command's argument.
 * @throws Failure usage, no-client
 */
export async function targetOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<Target> {
  const { openTarget } = await import('../storage/address.ts');
  return openTarget(address, choice.prefix ?? '', accessOf(choice, terminal));
}

/**
 * Opens the objects at an address as a source.
 * @throws Failure usage, no-client
 */
export async function sourceTargetOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<ObjectSource> {
  return sourceOf(await targetOf(address, choice, terminal));
}

/**
 * Returns the objects of a target as a source.
 * @throws Failure usage
 */
export function sourceOf(target: Target): ObjectSource {
  const source = target.source?.();
  if (source !== undefined) return source;
  throw new Failure('usage', `${target.name} cannot be read as a source`, {
    expected: 's3://bucket/prefix',
    found: 'another kind of object store',
    hint: 'download the objects, and name the folder as the source',
  });
}

/** Opens the targets at the parent paths of the target, nearest first. */
export async function aroundOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<readonly Target[]> {
  const { openAround } = await import('../storage/address.ts');
  return openAround(address, choice.prefix ?? '', accessOf(choice, terminal));
}

function accessOf({ endpoint, region, concurrency }: TargetChoice, terminal: Terminal): Access {
  const { env } = terminal.io;
  // the AWS SDK warns about Node.js releases that it will no longer support; a user of palimpsest cannot act on that
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  return {
    endpoint,
    region,
    connections: concurrency,
    secrets: {
      // an empty variable counts as unset, as for options
      azureConnectionString: env['AZURE_STORAGE_CONNECTION_STRING'] || undefined,
      azureAccount: env['AZURE_STORAGE_ACCOUNT'] || undefined,
      azureKey: env['AZURE_STORAGE_KEY'] || undefined,
    },
  };
}

/** Returns the limits of requests, and the signal that stops the command. */
export function requestsOf({ concurrency, timeout }: TargetChoice, terminal: Terminal): RemoteOptions {
  return { concurrency, retryPolicy: { attempts: MAX_ATTEMPTS, timeout: timeout * 1000 }, signal: terminal.stopSignal };
}

/** Returns the request counts for JSON output. */
export function trafficOf({ requests: all, writes, reads, deletes, retries }: RequestCounter): object {
  return { all, writes, reads, deletes, retries };
}

/** A target for messages. */
export type NamedTarget = Pick<Target, 'name' | 'names'>;

/** Returns a number of requests as text; undefined for a folder, which needs none. */
export function requestsText({ names }: NamedTarget, requests: number): string | undefined {
  return names === undefined ? plural(requests, 'request') : undefined;
}

/** Returns the traffic of a run as text. */
export function trafficText(target: NamedTarget, { sent, requests }: { readonly sent: number; readonly requests: number }): string {
  return [size(sent), requestsText(target, requests)].filter((part) => part !== undefined).join(' in ');
}

/** Parses a region. It becomes part of a host name, so it must be a valid label. */
function regionName(text: string): string {
  if (/^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(text)) return text;
  throw new InvalidArgumentError('Expected letters, digits and hyphens, such as eu-central-1.');
}
