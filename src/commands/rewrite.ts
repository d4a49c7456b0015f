import { Argument, Option } from '@commander-js/extra-typings';
import { isLoopback } from '../contract/site.ts';
import type { Host, HostFile, Limits, RefusedHost } from '../rewrite/hosts/host.ts';
import { plural } from '../terminal/amounts.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import { DEFAULT_OUT, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

export function declareRewrite(program: Program, terminal: Terminal): void {
  program
    .command('rewrite')
    .summary('write the configuration of a web server, CDN or platform')
    .description(
      'Writes the configuration or code with which a host maps ?page=N to the files of the tree, for the base URL of the tree. ' +
        'Hosts that ignore the query are refused, and the reason is printed.',
    )
    .addArgument(new Argument('[host]', 'the name of a host; run with --list for all names'))
    .addOption(new Option('--list', 'list the hosts, what each cannot do, and how each was tested').env('PALIMPSEST_LIST'))
    .addOption(
      new Option('--out <path>', 'the tree, or the folder with versions').env('PALIMPSEST_OUT').argParser(path).default(DEFAULT_OUT),
    )
    .addOption(
      new Option('--host-files <folder>', 'write the files of the host to this folder instead of printing them')
        .env('PALIMPSEST_HOST_FILES')
        .argParser(path),
    )
    .addOption(
      new Option('--origin <url>', 'the address of the published tree, from which the host fetches pages; rest/ is below it').env(
        'PALIMPSEST_ORIGIN',
      ),
    )
    .addOption(
      new Option('--versions', 'write the files of a host that reads versions (default: if --out names a ZIP or has versions)').env(
        'PALIMPSEST_VERSIONS',
      ),
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest rewrite --list', 'list all hosts'],
        ['palimpsest rewrite nginx', 'print the files for nginx'],
        ['palimpsest rewrite cloudflare-workers --host-files worker', 'write the files for Cloudflare Workers to a folder'],
        [
          'palimpsest rewrite nginx --origin https://bucket.s3.eu-central-1.amazonaws.com',
          'print the files for nginx in front of a bucket',
        ],
        ['palimpsest rewrite cloudflare-workers --versions', 'print the files for Cloudflare Workers and a bucket with versions'],
      ),
    )
    .action(async (name, options, command) => {
      terminal.setOutput(options);
      if (options.list) {
        const [{ CAPABILITIES }, { allHosts, REFUSED }] = await Promise.all([
          import('../rewrite/hosts/host.ts'),
          import('../rewrite/hosts/registry.ts'),
        ]);
        const hosts = await allHosts();
        terminal.summary({ capabilities: CAPABILITIES, hosts, refused: REFUSED }, [
          ...list(hosts, REFUSED, await terminal.command('rewrite', {}, ['nginx'])),
          'capabilities that some hosts lack',
          ...Object.entries(CAPABILITIES)
            .filter(([name]) =>
              hosts.some((host) => [host, host.atOrigin, host.versions].some((one) => typeof one === 'object' && name in one.cannot)),
            )
            .map(([name, meaning]) => `  ${name}: ${meaning}`),
        ]);
        return;
      }
      const [{ beforeOrigin, findHost, withVersions }, { writeHostFiles }, { noTree, siteForm, siteOf, siteWithoutTree }, { suggest }] =
        await Promise.all([
          import('../hosting/find-host.ts'),
          import('../hosting/host-files.ts'),
          import('../hosting/site.ts'),
          import('../history/suggest.ts'),
        ]);
      const hasVersions = options.versions ?? siteForm(options.out) !== 'files';
      const named = await findHost(name, suggest);
      const variant = hasVersions ? await withVersions(named) : named;
      const host = options.origin === undefined ? variant : await beforeOrigin(variant, options.origin, options.out);
      const site = siteOf(options.out, host, hasVersions);
      if (site === undefined) {
        if (command.getOptionValueSource('out') === 'cli') throw noTree(options.out);
        const consequence = 'the files are for a tree at the root of example.org, and the limits of the host were not checked';
        terminal.warn(`there is no finished tree in ${options.out}: ${consequence}`);
      } else if (isLoopback(site.origin)) {
        terminal.warn(`the files are for ${site.origin}, which only this machine reaches: for a site, build with --base-url`);
      }
      const files = host.render(site ?? siteWithoutTree(hasVersions));
      const { out, hostFiles } = options;
      if (hostFiles === undefined) {
        const write = await terminal.command('rewrite', { '--host-files': 'FOLDER' }, [host.name]);
        const [file, ...others] = files;
        // a single file can be redirected: its heading is then not part of it
        if (file !== undefined && others.length === 0) terminal.notes([heading(file), '']);
        const lines = others.length === 0 ? files.map(textOf) : files.flatMap((each) => [heading(each), '', textOf(each)]);
        terminal.summary({ host: host.name, out, files, steps: host.steps }, lines);
        terminal.notes([
          ...(host.steps.length === 0 ? [] : ['', `to install the files, write them to a folder: ${write}`]),
          ...stepsOf(host),
        ]);
        return;
      }
      writeHostFiles(hostFiles, files);
      const written = files.map(({ path, where }) => ({ path, where }));
      terminal.summary({ host: host.name, out, hostFiles, files: written, steps: host.steps }, [
        `wrote the files for ${host.title} to ${hostFiles}`,
        ...files.map((file) => `  ${file.path}: ${file.where}`),
        ...stepsOf(host),
        ...Object.entries(host.cannot).map(([capability, reason]) => `  lacks ${capability}: ${reason}`),
      ]);
    });
}

/**
 * Returns all hosts as text, with the capabilities that each lacks.
 * @param example a command that prints the files of a host
 */
function list(hosts: readonly Host[], refused: readonly RefusedHost[], example: string): string[] {
  const width = Math.max(...[...hosts, ...refused].map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat(width + 2);
  return [
    `hosts (${example} prints the files for nginx; docs/hosts.md in the package compares the hosts)`,
    ...hosts.flatMap(({ name, title, testedOn, cannot, limits, atOrigin, versions }) => [
      `  ${name.padEnd(width)}${title}`,
      `${indent}tested on ${testedOn}`,
      `${indent}lacks: ${lacks(cannot)}`,
      ...(limits.source === undefined ? [] : [`${indent}limited to ${limitsText(limits)}`]),
      ...(atOrigin === undefined
        ? []
        : [`${indent}with --origin tested on ${atOrigin.testedOn}`, `${indent}with --origin lacks: ${lacks(atOrigin.cannot)}`]),
      ...(typeof versions === 'object' ? [`${indent}with --versions lacks: ${lacks(versions.cannot)}`] : []),
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

function limitsText({ files, fileBytes, source }: Limits): string {
  const parts = [files && plural(files, 'file'), fileBytes && `${plural(fileBytes, 'byte')} per file`].filter((part) => part);
  return `${parts.join(' and ')} (${source})`;
}

/** Returns the commands that install the files, as text. */
function stepsOf({ steps }: Host): string[] {
  if (steps.length === 0) return [];
  return ['edit the lines marked with <--, then run in the folder of the files:', ...steps.map((step) => `  ${step}`)];
}

function heading({ path, where }: HostFile): string {
  return `==> ${path}: ${where}`;
}

/** Returns the text of a file for printing. It is verbatim, with tabs, so that it can be copied. */
function textOf({ text }: HostFile): Line {
  return { verbatim: text.replace(/\n$/, '') };
}
