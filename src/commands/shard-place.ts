import { InvalidArgumentError } from '@commander-js/extra-typings';
import { schemeOf } from '../contract/url.ts';
import type { RunFiles } from '../shard/run-files.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SourceChoice } from './source-options.ts';
import { requestsOf, sourceOf, targetOf } from './target-options.ts';

/** The help text of the place of a run. */
export const PLACE_HELP = 'the folder or s3://bucket/prefix that all tasks share';

/** The maximum number of concurrent requests of a task. */
const CONCURRENCY = 8;

/** Parses the place of a run in shards: a folder, or a prefix in an object store. */
export function shardPlace(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a folder or s3://bucket/prefix.');
  const scheme = schemeOf(text);
  if (scheme === undefined || (scheme === 's3' && text.includes('://'))) return text;
  throw new InvalidArgumentError(`Expected a folder or s3://bucket/prefix. Write ./${scheme}:/ for a folder with that name.`);
}

/** The files of a run, which are closed at the end of the command. */
export interface OpenRunFiles {
  readonly files: RunFiles;
  readonly close: () => void;
}

/**
 * Opens the place of a run.
 * @param kept the state of everything after a stop, for the message
 * @throws Failure usage, no-client
 */
export async function openRunFiles(place: string, choice: SourceChoice, terminal: Terminal, kept: string): Promise<OpenRunFiles> {
  if (schemeOf(place) === undefined) {
    const { FolderFiles } = await import('../shard/folder-files.ts');
    return { files: new FolderFiles(place), close: () => {} };
  }
  const access = { ...choice, concurrency: CONCURRENCY };
  const [target, { ObjectFiles }] = await Promise.all([targetOf(place, access, terminal), import('../shard/object-files.ts')]);
  return { files: new ObjectFiles(target, sourceOf(target), { ...requestsOf(access, terminal), kept }), close: () => target.close() };
}

/** Returns the options to repeat in the command of the next step. */
export function placeOptions({ endpoint, region }: SourceChoice): Readonly<Record<string, string>> {
  return {
    ...(endpoint === undefined ? {} : { '--endpoint': endpoint }),
    ...(region === undefined ? {} : { '--region': region }),
  };
}
