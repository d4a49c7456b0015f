import type { Values } from '../command-line/commands.ts';
import type { Given } from '../command-line/spec.ts';
import { plural } from '../contract/amounts.ts';
import { isLoopback } from '../contract/base-url.ts';
import { closestNames } from '../contract/closest-names.ts';
import { noTree, siteForm, siteOf, siteWithoutTree } from '../hosting/detect-site.ts';
import { beforeOrigin, findHost, withVersions } from '../hosting/find-host.ts';
import { writeHostFiles } from '../hosting/host-files.ts';
import { CAPABILITIES, type Host, type HostFile, type Limits, type RefusedHost } from '../rewrite/hosts/host.ts';
import { allHosts, REFUSED } from '../rewrite/hosts/registry.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';

export async function runRewrite(terminal: Terminal, options: Values<'rewrite'>, given: Given): Promise<void> {
  if (options.host === undefined && !['--to', '--origin', '--versions'].some((one) => given.get(one) === 'cli')) {
    const hosts = await allHosts();
    const facts = hosts.map(({ name, title, testedOn, cannot, untested, limits = {}, ...more }) => {
      return { name, title, testedOn, cannot, untested, limits, ...more };
    });
    terminal.summary({ capabilities: CAPABILITIES, hosts: facts, refused: REFUSED }, [
      ...list(hosts, REFUSED, terminal.command('rewrite', {}, ['nginx'])),
      'capabilities that some hosts lack',
      ...Object.entries(CAPABILITIES)
        .filter(([name]) =>
          hosts.some((host) => [host, host.atOrigin, host.withVersions].some((one) => one !== undefined && name in one.cannot)),
        )
        .map(([name, meaning]) => `  ${name}: ${meaning}`),
    ]);
    return;
  }
  const hasVersions = options.versions || siteForm(options.out) !== 'files';
  const named = await findHost(options.host, closestNames);
  const variant = hasVersions ? await withVersions(named) : named;
  const host = options.origin === undefined ? variant : await beforeOrigin(variant, options.origin, options.out);
  const site = siteOf(options.out, host, hasVersions);
  if (site === undefined) {
    if (given.get('--out') === 'cli') throw noTree(options.out);
    const consequence = 'the files are for a tree at the root of example.org, and the limits of the host were not checked';
    terminal.alert(`there is no finished tree in ${options.out}: ${consequence}`);
  } else if (isLoopback(site.origin)) {
    terminal.alert(`the files are for ${site.origin}, which only this machine reaches: for a site, build with --base-url`);
  }
  const files = host.render(site ?? siteWithoutTree(hasVersions));
  const { out, to } = options;
  if (to === undefined) {
    const write = terminal.command('rewrite', { '--to': 'FOLDER' }, [host.name]);
    const [file, ...others] = files;
    // a single file can be redirected: its heading is then not part of it
    if (file !== undefined && others.length === 0) terminal.notes([heading(file), '']);
    const lines = others.length === 0 ? files.map(textOf) : files.flatMap((each) => [heading(each), '', textOf(each)]);
    terminal.summary({ host: host.name, out, results: files, steps: host.steps }, lines);
    terminal.notes([...(host.steps.length === 0 ? [] : ['', `to install the files, write them to a folder: ${write}`]), ...stepsOf(host)]);
    return;
  }
  await writeHostFiles(to, files);
  const written = files.map(({ path, where }) => ({ path, where }));
  terminal.summary({ host: host.name, out, to, results: written, steps: host.steps }, [
    `wrote the files for ${host.title} to ${to}`,
    ...files.map((file) => `  ${file.path}: ${file.where}`),
    ...stepsOf(host),
    ...Object.entries(host.cannot).map(([capability, reason]) => `  lacks ${capability}: ${reason}`),
  ]);
}

/**
 * Returns all hosts as text, with the capabilities that each lacks.
 * @param example a command that prints the files of a host
 */
function list(hosts: readonly Host[], refused: readonly RefusedHost[], example: string): Line[] {
  const width = Math.max(...[...hosts, ...refused].map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat(width + 2);
  return [
    `hosts (${example} prints the files for nginx; docs/hosts.md in the package compares the hosts)`,
    ...hosts.flatMap(({ name, title, testedOn, cannot, limits, atOrigin, withVersions }) => [
      `  ${name.padEnd(width)}${title}`,
      `${indent}tested on ${testedOn}`,
      `${indent}lacks: ${lacks(cannot)}`,
      limits !== undefined && `${indent}limited to ${limitsText(limits)}`,
      ...(atOrigin === undefined
        ? []
        : [`${indent}with --origin tested on ${atOrigin.testedOn}`, `${indent}with --origin lacks: ${lacks(atOrigin.cannot)}`]),
      withVersions !== undefined && `${indent}with --versions lacks: ${lacks(withVersions.cannot)}`,
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
