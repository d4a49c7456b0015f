import { Argument, Option } from '@commander-js/extra-typings';
import type { Host, HostFile, Limits, RefusedHost } from '../rewrite/hosts/host.ts';
import { type Line, number, type Terminal } from '../terminal.ts';
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
    .addOption(
      new Option('--origin <url>', 'where the tree was published, for the host to fetch pages from; rest/ is below it').env(
        'PALIMPSEST_ORIGIN',
      ),
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest rewrite --list', 'every host'],
        ['palimpsest rewrite nginx', 'the files for nginx, printed'],
        ['palimpsest rewrite cloudflare-workers --out worker', 'those for Cloudflare Workers, into a folder'],
        ['palimpsest rewrite nginx --origin https://bucket.s3.eu-central-1.amazonaws.com', 'those for nginx before a bucket'],
      ),
    )
    .action(async (name, options) => {
      terminal.setOutput(options);
      if (options.list) {
        const [{ CAPABILITIES }, { HOSTS }, { REFUSED }] = await Promise.all([
          import('../rewrite/hosts/capability.ts'),
          import('../rewrite/hosts/registry.ts'),
          import('../rewrite/hosts/unsupported.ts'),
        ]);
        terminal.summary({ capabilities: CAPABILITIES, hosts: HOSTS, refused: REFUSED }, list(HOSTS, REFUSED));
        return;
      }
      const [{ hostNamed, siteOf, siteWithoutTree, writeHostFiles }, { beforeOrigin }] = await Promise.all([
        import('../hosting/host-files.ts'),
        import('../hosting/origin.ts'),
      ]);
      const named = hostNamed(name);
      const host = options.origin === undefined ? named : beforeOrigin(named, options.origin, options.tree);
      const site = siteOf(options.tree, host);
      if (site === undefined) {
        const without = 'these files are for one at the root of example.org, and nothing was counted';
        terminal.warn(`there is no finished tree in ${options.tree}: ${without}`);
      }
      const files = host.render(site ?? siteWithoutTree());
      if (options.out === undefined) {
        terminal.summary({ host: host.name, files, steps: host.steps }, [...files.flatMap(printed), ...stepsOf(host)]);
        return;
      }
      writeHostFiles(options.out, files);
      terminal.summary({ host: host.name, out: options.out, files: files.map(({ path, where }) => ({ path, where })), steps: host.steps }, [
        `wrote ${options.out} for ${host.title}`,
        ...files.map((file) => `  ${file.path}: ${file.where}`),
        ...stepsOf(host),
        ...Object.entries(host.cannot).map(([capability, reason]) => `  without ${capability}: ${reason}`),
      ]);
    });
}

/** Every host with what it lacks, for people. */
function list(hosts: readonly Host[], refused: readonly RefusedHost[]): string[] {
  const width = Math.max(...[...hosts, ...refused].map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat(width + 2);
  return [
    'hosts (palimpsest rewrite <host> writes their files; docs/hosts.md has the table)',
    ...hosts.flatMap(({ name, title, testedOn: proof, cannot, limits, atOrigin }) => [
      `  ${name.padEnd(width)}${title}`,
      `${indent}tested on ${proof}`,
      `${indent}lacks: ${lacks(cannot)}`,
      ...(limits.source === undefined ? [] : [`${indent}takes ${takes(limits)}`]),
      ...(atOrigin === undefined
        ? []
        : [`${indent}with --origin tested on ${atOrigin.proof}`, `${indent}with --origin lacks: ${lacks(atOrigin.cannot)}`]),
    ]),
    'refused',
    ...refused.flatMap(({ name, title, reason, instead }) => [
      `  ${name.padEnd(width)}${title}`,
      `${indent}${reason}`,
      `${indent}${instead}`,
    ]),
  ];
}

function lacks(cannot: Host['cannot']): string {
  return Object.keys(cannot).join(', ') || 'nothing';
}

function takes({ files, fileBytes, source }: Limits): string {
  const parts = [files && `${number(files)} files`, fileBytes && `${number(fileBytes)} bytes a file`].filter((part) => part);
  return `${parts.join(' and ')} (${source})`;
}

/** How the files are installed, for people. */
function stepsOf({ steps }: Host): string[] {
  if (steps.length === 0) return [];
  return ['edit the lines marked with <--; then, in the folder of the files:', ...steps.map((step) => `  ${step}`)];
}

/** The file as it is, tabs too, to be copied. */
function printed(file: HostFile): Line[] {
  return [`==> ${file.path}: ${file.where}`, '', { verbatim: file.text }];
}
