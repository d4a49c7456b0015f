import { statSync } from 'node:fs';
import type { TARGET_OPTIONS } from '../command-line/shared-options.ts';
import type { ValuesOf } from '../command-line/spec.ts';
import { plural, size } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import type { FailureCode } from '../contract/failure-codes.ts';
import type { ObjectSource } from '../storage/object-source.ts';
import type { Remote, RemoteOptions } from '../storage/remote.ts';
import type { Access, Target } from '../storage/target.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The maximum number of attempts for one request. */
const MAX_ATTEMPTS = 12;

/** The options that determine how a target is accessed. */
export type TargetChoice = Omit<ValuesOf<typeof TARGET_OPTIONS>, 'prefix'> & { readonly prefix?: string | undefined };

/**
 * Opens the target in a command's argument.
 * @throws Failure usage, no-client
 */
export async function targetOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<Target> {
  const { openTarget } = await import('../storage/open-target.ts');
  return openTarget(address, choice.prefix ?? '', accessOf(choice, terminal));
}

/**
 * Opens a target to list its versions. A folder that does not exist is refused, because its name may have a mistake.
 * @throws Failure usage, no-client, and `code`
 */
export async function listedTargetOf(
  code: FailureCode,
  choice: TargetChoice & { readonly target: string },
  terminal: Terminal,
): Promise<Target> {
  const target = await targetOf(choice.target, choice, terminal);
  const found = target.names === undefined ? undefined : statSync(target.name, { throwIfNoEntry: false });
  if (target.names === undefined || found?.isDirectory()) return target;
  throw new Failure(code, `there is no folder ${target.name}`, {
    place: { file: target.name },
    expected: 'a folder with versions',
    found: found === undefined ? 'no folder' : 'a file',
    hint: 'check the path and --prefix',
  });
}

/**
 * Opens the objects at an address as a source.
 * @throws Failure usage, no-client
 */
export async function sourceTargetOf(address: string, choice: TargetChoice, terminal: Terminal): Promise<ObjectSource> {
  const target = await targetOf(address, choice, terminal);
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
  const { openAround } = await import('../storage/open-target.ts');
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
  return { concurrency, retryPolicy: { attempts: MAX_ATTEMPTS, timeout }, signal: terminal.stopSignal };
}

export function trafficOf({ requests: all, writes, reads, deletes, retries }: Remote['traffic']): object {
  return { all, writes, reads, deletes, retries };
}

/** A target for messages. */
export type NamedTarget = Pick<Target, 'name' | 'names'>;

/** What the job summary says about a target after the first run there. */
export const NEW_TARGET = 'this is a new target';

/**
 * Warns about the first run at a target, because the name may have a typo. Each first run warns: a store knows only some of its targets.
 * @param others the targets to which the store was published before
 */
export function alertNewTarget(terminal: Terminal, { name }: NamedTarget, others: readonly string[] = []): void {
  const before = others.length === 0 ? '' : `. This store was published to ${others.join(', ')} before`;
  terminal.alert(
    `${name} is a new target: no earlier run wrote to it${before}. If this is not the first run there, check the name of the target`,
  );
}

/** Returns a number of requests as text; undefined for a folder, which needs none. */
export function requestsText({ names }: NamedTarget, requests: number): string | undefined {
  return names === undefined ? plural(requests, 'request') : undefined;
}

export function trafficText(target: NamedTarget, { sent, requests }: { readonly sent: number; readonly requests: number }): string {
  return [size(sent), requestsText(target, requests)].filter((part) => part !== undefined).join(' in ');
}
