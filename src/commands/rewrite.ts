import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Argument, Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { CAPABILITIES } from '../rewrite/hosts/capability.ts';
import { excess } from '../rewrite/hosts/excess.ts';
import type { Host, HostFile, Limits, PublishedSite } from '../rewrite/hosts/host.ts';
import { REFUSED } from '../rewrite/hosts/refused.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import { number, type Terminal } from '../terminal.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { extentOf } from '../tree/extent.ts';
import { fileSystemFailure } from '../tree/folder.ts';
import { DEFAULT_OUT, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

export function declareRewrite(program: Program, terminal: Terminal): void {
  program
    .command('rewrite')
    .summary('write the files with which a host answers pages')
    .description(
      "Writes a host's configuration or code, made from the one rewrite function, for the base URL of the tree. Hosts that cannot " +
        'tell one page from another are refused with the reason.',
    )
    .addArgument(new Argument('[host]', 'the name of a host; --list has them'))
    .addOption(new Option('--list', 'list the hosts, what each lacks, and how it was tested').env('PALIMPSEST_LIST'))
    .addOption(new Option('--out <folder>', 'where the files go; without it they are printed').env('PALIMPSEST_OUT').argParser(path))
    .addOption(new Option('--tree <folder>', 'the tree that is to be served').env('PALIMPSEST_TREE').argParser(path).default(DEFAULT_OUT))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest rewrite --list', 'every host'],
        ['palimpsest rewrite nginx', 'the files for nginx, printed'],
        ['palimpsest rewrite cloudflare-workers --out worker', 'those for Cloudflare Workers, into a folder'],
      ),
    )
    .action((name, options) => {
      terminal.speakAs(options);
      if (options.list) {
        terminal.summary({ capabilities: CAPABILITIES, hosts: HOSTS, refused: REFUSED }, list());
        return;
      }
      const host = hostNamed(name);
      const files = host.render(siteOf(options.tree, host, terminal));
      if (options.out === undefined) {
        terminal.summary({ host: host.name, files }, files.flatMap(printed));
        return;
      }
      write(options.out, files);
      terminal.summary({ host: host.name, out: options.out, files: files.map(({ path, where }) => ({ path, where })) }, [
        `wrote ${options.out} for ${host.title}`,
        ...files.map((file) => `  ${file.path}: ${file.where}`),
        ...Object.entries(host.cannot).map(([capability, reason]) => `  without ${capability}: ${reason}`),
      ]);
    });
}

/** Every host with what it lacks, for people. */
function list(): string[] {
  const width = Math.max(...[...HOSTS, ...REFUSED].map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat(width + 2);
  return [
    'hosts (palimpsest rewrite <host> writes their files; docs/hosts.md has the table)',
    ...HOSTS.flatMap(({ name, title, proof, cannot, limits }) => [
      `  ${name.padEnd(width)}${title}`,
      `${indent}tested on ${proof}`,
      `${indent}lacks: ${Object.keys(cannot).join(', ') || 'nothing'}`,
      ...(limits.source === undefined ? [] : [`${indent}takes ${takes(limits)}`]),
    ]),
    'refused',
    ...REFUSED.flatMap(({ name, title, reason, instead }) => [
      `  ${name.padEnd(width)}${title}`,
      `${indent}${reason}`,
      `${indent}${instead}`,
    ]),
  ];
}

function takes({ files, fileBytes, source }: Limits): string {
  const parts = [files && `${number(files)} files`, fileBytes && `${number(fileBytes)} bytes a file`].filter((part) => part);
  return `${parts.join(' and ')} (${source})`;
}

/** The host of a name. */
function hostNamed(name: string | undefined): Host {
  const host = HOSTS.find((candidate) => candidate.name === name);
  if (host !== undefined) return host;
  const refused = REFUSED.find((candidate) => candidate.name === name);
  if (refused !== undefined) {
    throw new Failure('host-refused', `${refused.title} cannot serve a tree`, {
      expected: 'a host that can answer ?page=2 with another file than ?page=3',
      found: refused.reason,
      hint: refused.instead,
    });
  }
  throw new Failure('usage', name === undefined ? 'no host was named' : `there is no host "${name}"`, {
    expected: HOSTS.map((candidate) => candidate.name).join(', '),
    found: name ?? 'none',
    hint: 'palimpsest rewrite --list says what each can do',
  });
}

/** What a tree says of where it is to be published; the root of a host where there is none yet. */
function siteOf(tree: string, host: Host, terminal: Terminal): PublishedSite {
  const program = { resolve: moduleText('resolve'), respond: moduleText('respond') };
  const record = readBuildRecord(tree);
  if (typeof record !== 'object') {
    terminal.warn(`there is no finished tree in ${tree}: these files are for one at the root of example.org, and nothing was counted`);
    return { domain: 'example.org', base: '', program };
  }
  refuseTooMuch(host, tree);
  const { hostname, pathname } = new URL(record.base_url);
  const base = pathname === '/' ? '' : pathname;
  if (/^[\w.~/-]*$/.test(base)) return { domain: hostname, base, program };
  throw new Failure('usage', `rules for ${record.base_url} cannot be written`, {
    expected: 'a base URL whose path has letters, digits and ._~/- only: hosts read others differently',
    found: base,
    hint: 'build again with another --base-url',
  });
}

function moduleText(name: string): string {
  return readFileSync(new URL(`../rewrite/${name}.js`, import.meta.url), 'utf8');
}

function refuseTooMuch(host: Host, tree: string): void {
  const tooMuch = excess(host, extentOf(tree));
  if (tooMuch === undefined) return;
  const { path = '', ...words } = tooMuch;
  throw new Failure('host-limit', `${host.title} does not take the tree in ${tree}`, { place: { file: join(tree, path) }, ...words });
}

function printed(file: HostFile): string[] {
  return [`==> ${file.path}: ${file.where}`, '', file.text];
}

/** @throws Failure not-ours where a file of another content is there, or a tree */
function write(out: string, files: readonly HostFile[]): void {
  refuse(readBuildRecord(out) !== 'none', out, 'a folder beside the tree', 'a tree');
  for (const file of files) {
    const target = join(out, file.path);
    const isOther = existsSync(target) && readFileSync(target, 'utf8') !== file.text;
    refuse(isOther, target, 'no such file, or the same', 'a file with another content, which would be lost');
  }
  try {
    for (const file of files) {
      mkdirSync(dirname(join(out, file.path)), { recursive: true });
      writeFileSync(join(out, file.path), file.text);
    }
  } catch (error) {
    throw fileSystemFailure(out, error);
  }
}

function refuse(isRefused: boolean, file: string, expected: string, found: string): void {
  if (!isRefused) return;
  const hint = 'name another folder with --out; nothing was touched';
  throw new Failure('not-ours', `the files for a host cannot go to ${file}`, { place: { file }, expected, found, hint });
}
