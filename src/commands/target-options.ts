import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { RequestCounter } from '../storage/retry.ts';
import type { Access, Target } from '../storage/target.ts';
import type { Terminal } from '../terminal.ts';
import { wholeNumber } from './options.ts';

/** How often one request is tried. */
const TRIES = 12;

/** What every command that speaks to a target takes as its argument. */
export const TARGET_HELP = 's3://bucket/prefix, az://container/prefix, or a folder';

/** The options of every command that speaks to a target, made anew for each: reading the environment changes them. */
export const concurrencyOption = (): Option<'--concurrency <n>', undefined, number, number> =>
  new Option('--concurrency <n>', 'how many requests are under way at once')
    .env('PALIMPSEST_CONCURRENCY')
    .argParser(wholeNumber(1, 256))
    .default(32);

export const prefixOption = (): Option<'--prefix <path>'> =>
  new Option('--prefix <path>', 'where below the target').env('PALIMPSEST_PREFIX');

export const endpointOption = (): Option<'--endpoint <url>'> =>
  new Option('--endpoint <url>', 'the address of a store that is not the cloud’s own').env('PALIMPSEST_ENDPOINT');

export const regionOption = (): Option<'--region <name>', undefined, undefined, string> =>
  new Option('--region <name>', 'the region of the bucket').env('PALIMPSEST_REGION').argParser(regionName);

export const timeoutOption = (): Option<'--timeout <seconds>', undefined, number, number> =>
  new Option('--timeout <seconds>', 'how long a request may take before it is made again')
    .env('PALIMPSEST_TIMEOUT')
    .argParser(wholeNumber(1, 3600))
    .default(30);

/** What these options and the environment say of how a target is reached. */
export interface TargetChoice {
  readonly concurrency: number;
  readonly prefix?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly timeout: number;
}

/**
 * Opens the target that a command was given.
 * @throws Failure usage, no-client
 */
export async function targetOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<Target> {
  const { openTarget } = await import('../storage/address.ts');
  return openTarget(address, choice.prefix ?? '', accessOf(choice, terminal));
}

/** The places that lie around the target, nearest first. */
export async function aroundOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<readonly Target[]> {
  const { openAround } = await import('../storage/address.ts');
  return openAround(address, choice.prefix ?? '', accessOf(choice, terminal));
}

function accessOf({ endpoint, region, concurrency }: TargetChoice, terminal: Terminal): Access {
  const { env } = terminal.surroundings;
  // Amazon's client warns of Node releases that it will not run on one day: nothing that a user can mend now
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  return {
    endpoint,
    region,
    connections: concurrency,
    secrets: {
      // an empty one is none, as with options
      azureConnectionString: env['AZURE_STORAGE_CONNECTION_STRING'] || undefined,
      azureAccount: env['AZURE_STORAGE_ACCOUNT'] || undefined,
      azureKey: env['AZURE_STORAGE_KEY'] || undefined,
    },
  };
}

/** How requests are made, and a signal that SIGINT and SIGTERM abort. */
export function requestsOf(
  { concurrency, timeout }: TargetChoice,
  terminal: Terminal,
): {
  readonly concurrency: number;
  readonly retryPolicy: { readonly attempts: number; readonly timeout: number };
  readonly signal: AbortSignal;
} {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) terminal.surroundings.once(signal, () => stop.abort());
  return { concurrency, retryPolicy: { attempts: TRIES, timeout: timeout * 1000 }, signal: stop.signal };
}

/** How many requests there were, for machines. */
export function trafficOf({ requests: all, writes, reads, deletes, retries }: RequestCounter): object {
  return { all, writes, reads, deletes, retries };
}

/** A region becomes part of a host's name. */
function regionName(text: string): string {
  if (/^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(text)) return text;
  throw new InvalidArgumentError('Expected letters, digits and hyphens, such as eu-central-1.');
}
