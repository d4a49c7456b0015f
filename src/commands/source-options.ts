import { type Command, type CommandUnknownOpts, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import { schemeOf } from '../contract/url.ts';
import type { RemoteSources } from '../sources/source.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endpointOption, regionOption, requestsOf, sourceTargetOf, type TargetChoice, timeoutOption } from './target-options.ts';

/** The help text of the argument of the commands that read sources. */
export const SOURCE_HELP = 'files, folders, archives, s3://bucket/prefix, https://… or - for standard input';

/** The options that determine how sources on other machines are accessed. */
export type SourceChoice = Pick<TargetChoice, 'endpoint' | 'region' | 'timeout'>;

/** Adds the options of every command that reads sources. */
export function addSourceOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
): Command<Arguments, Options & SourceChoice>;
// an overload, because commander cannot infer the options of any command together with these
export function addSourceOptions(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.addOption(endpointOption()).addOption(regionOption()).addOption(timeoutOption());
}

const SCHEMES = ['s3', 'https', 'http'];

/** Collects the sources of an argument that can be repeated. */
export function sources(text: string, before: readonly string[] | undefined): string[] {
  const scheme = schemeOf(text);
  if (scheme !== undefined && (!SCHEMES.includes(scheme) || !text.includes('://'))) {
    throw new InvalidArgumentError(`Expected a path, s3://bucket/prefix or an https URL. Write ./${scheme}:/ for a folder with that name.`);
  }
  if (scheme?.startsWith('http') && !URL.canParse(text)) throw new InvalidArgumentError('Expected a URL with a host.');
  return [...(before ?? []), text];
}

/** Sources on other machines. They are closed at the end of the command. */
interface OpenRemoteSources extends RemoteSources {
  readonly close: () => void;
}

/** @param kept the state of everything after a stop, for the message */
export function remoteSources(choice: SourceChoice, terminal: Terminal, kept: string): OpenRemoteSources {
  const closers: (() => void)[] = [];
  const access = { ...choice, concurrency: 1 };
  const options = { ...requestsOf(access, terminal), kept };
  return {
    async *objects(address) {
      const [source, { openReader }] = await Promise.all([sourceTargetOf(address, access, terminal), import('../storage/remote.ts')]);
      closers.push(source.close);
      const reader = openReader(source, options);
      for await (const { path, size } of reader.list()) {
        const name = path === '' ? source.name : `${source.name}/${path}`;
        yield { name, path, size, open: () => reader.read(path) };
      }
    },
    async *download(url) {
      const [{ webSource }, { openReader }, { USER_AGENT }] = await Promise.all([
        import('../storage/web.ts'),
        import('../storage/remote.ts'),
        import('../mirror/user-agent.ts'),
      ]);
      const { origin, pathname } = new URL(url);
      const source = webSource(url, origin + pathname, USER_AGENT);
      closers.push(source.close);
      yield* openReader(source, options).read('');
    },
    close: () => {
      for (const close of closers) close();
    },
  };
}

/** A share from 0 to 1. */
type Share = { readonly share: number };

/** The option of the commands that refuse to add a run with too many rejected items. */
export function maxRejectedOption(): Option<'--max-rejected <percentage>', undefined, Share, Share, false, undefined> {
  return new Option('--max-rejected <percentage>', 'refuse the run if a larger share of its items is rejected')
    .env('PALIMPSEST_MAX_REJECTED')
    .argParser(share)
    .default({ share: 0.2 }, '20%');
}

/** Parses a percentage. */
export function share(text: string): Share {
  const [, digits] = /^(\d{1,3})%$/.exec(text) ?? [];
  if (digits !== undefined && Number(digits) <= 100) return { share: Number(digits) / 100 };
  throw new InvalidArgumentError('Expected a percentage from 0% to 100%, such as 20%.');
}
