import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { Host, HostFile, PublishedSite } from '../rewrite/hosts/host.ts';
import { excess } from '../rewrite/hosts/limits.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import { REFUSED } from '../rewrite/hosts/unsupported.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { extentOf } from '../tree/extent.ts';
import { fileSystemFailure } from '../tree/folder.ts';
import { readRegularFile } from '../tree/regular-file.ts';

/** Returns the names most similar to a name, best first, at most `most`. */
export type Suggest = (name: string, names: Iterable<string>, most: number) => readonly string[];

/**
 * Returns the host with a name.
 * @throws Failure host-refused if palimpsest does not support the host, with the reason; usage if the name is unknown
 */
export function hostNamed(name: string | undefined, suggest: Suggest): Host {
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
  const names = HOSTS.map((candidate) => candidate.name);
  const [similar] = name === undefined ? [] : [...names.filter((one) => one.startsWith(name)), ...suggest(name, names, 1)];
  throw new Failure('usage', name === undefined ? 'the name of the host is missing' : `there is no host "${name}"`, {
    expected: names.join(', '),
    found: name ?? 'no name',
    hint:
      similar === undefined
        ? hint`run ${suggested('rewrite', { '--list': true })} to see what each host can do`
        : `did you mean ${similar}?`,
  });
}

/**
 * Returns the site of a tree, from its build record.
 * @returns undefined if there is no finished tree
 * @throws Failure host-limit if the tree exceeds a limit of the host, usage if no rules can be written for its base URL
 */
export function siteOf(tree: string, host: Host): PublishedSite | undefined {
  const record = readBuildRecord(tree);
  if (typeof record !== 'object') return undefined;
  refuseTooMuch(host, tree);
  const { origin, hostname, pathname } = new URL(record.base_url);
  const base = pathname === '/' ? '' : pathname;
  if (/^[\w.~/-]*$/.test(base)) {
    return { origin, domain: hostname, base, browse: record.browse_files !== undefined, program: program() };
  }
  throw new Failure('usage', `rules for ${record.base_url} cannot be written`, {
    expected: 'a base URL whose path has only letters, digits and ._~/-: hosts read other characters differently',
    found: base,
    hint: 'build again with another --base-url',
  });
}

/** Returns the error for a folder that a user named as a tree, if it has none. */
export function noTree(folder: string): Failure {
  return new Failure('no-tree', `there is no finished tree in ${folder}`, {
    place: { file: folder },
    expected: 'a folder that palimpsest build made',
    found: 'no build.json, or the build.json of an unfinished build',
    hint: 'name the tree with --out, and the folder for the files of the host with --host-files',
  });
}

/** Returns an example site at the root of a host and without browse files, for users without a tree. */
export function siteWithoutTree(): PublishedSite {
  return { origin: 'https://example.org', domain: 'example.org', base: '', browse: false, program: program() };
}

function program(): PublishedSite['program'] {
  return { resolve: moduleText('resolve'), respond: moduleText('respond') };
}

function moduleText(name: string): string {
  return readFileSync(new URL(`../rewrite/${name}.js`, import.meta.url), 'utf8');
}

function refuseTooMuch(host: Host, tree: string): void {
  const tooMuch = excess(host, extentOf(tree));
  if (tooMuch === undefined) return;
  const { path = '', ...details } = tooMuch;
  throw new Failure('host-limit', `the tree in ${tree} exceeds a limit of ${host.title}`, {
    place: { file: join(tree, path) },
    ...details,
  });
}

/**
 * Writes a host's files into a folder.
 * @throws Failure not-ours if a file with other contents exists, or the folder is a tree; file-system
 */
export function writeHostFiles(out: string, files: readonly HostFile[]): void {
  refuse(readBuildRecord(out) !== 'none', out, 'a folder beside the tree', 'a tree');
  for (const file of files) {
    const target = join(out, file.path);
    const isOther = existsSync(target) && !hasContents(target, file.text);
    refuse(isOther, target, 'no such file, or the same contents', 'other contents, which would be lost');
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

function hasContents(path: string, text: string): boolean {
  try {
    return readRegularFile(path).toString() === text;
  } catch {
    return false;
  }
}

function refuse(isRefused: boolean, file: string, expected: string, found: string): void {
  if (!isRefused) return;
  const hint = 'name another folder with --host-files; nothing was changed';
  throw new Failure('not-ours', `cannot write the files for the host to ${file}`, { place: { file }, expected, found, hint });
}
