import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Host, HostFile, PublishedSite } from '../rewrite/hosts/host.ts';
import { excess } from '../rewrite/hosts/limits.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import { REFUSED } from '../rewrite/hosts/unsupported.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { extentOf } from '../tree/extent.ts';
import { fileSystemFailure } from '../tree/folder.ts';
import { readRegularFile } from '../tree/regular-file.ts';

/**
 * The host of a name.
 * @throws Failure host-refused with the reason, usage where there is none such
 */
export function hostNamed(name: string | undefined): Host {
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

/**
 * Where a tree is to be published, as it says itself.
 * @returns undefined where there is no finished tree
 * @throws Failure host-limit where the host does not take such a tree, usage where it has no rules for its base URL
 */
export function siteOf(tree: string, host: Host): PublishedSite | undefined {
  const record = readBuildRecord(tree);
  if (typeof record !== 'object') return undefined;
  refuseTooMuch(host, tree);
  const { origin, hostname, pathname } = new URL(record.base_url);
  const base = pathname === '/' ? '' : pathname;
  if (/^[\w.~/-]*$/.test(base)) return { origin, domain: hostname, base, program: program() };
  throw new Failure('usage', `rules for ${record.base_url} cannot be written`, {
    expected: 'a base URL whose path has letters, digits and ._~/- only: hosts read others differently',
    found: base,
    hint: 'build again with another --base-url',
  });
}

/** A site at the root of a host, for those who have no tree yet. */
export function siteWithoutTree(): PublishedSite {
  return { origin: 'https://example.org', domain: 'example.org', base: '', program: program() };
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
  const { path = '', ...words } = tooMuch;
  throw new Failure('host-limit', `${host.title} does not take the tree in ${tree}`, { place: { file: join(tree, path) }, ...words });
}

/**
 * Writes a host's files into a folder.
 * @throws Failure not-ours where a file of another content is there, or a tree; file-system
 */
export function writeHostFiles(out: string, files: readonly HostFile[]): void {
  refuse(readBuildRecord(out) !== 'none', out, 'a folder beside the tree', 'a tree');
  for (const file of files) {
    const target = join(out, file.path);
    const isOther = existsSync(target) && !holds(target, file.text);
    refuse(isOther, target, 'no such file, or the same', 'something with other contents, which would be lost');
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

function holds(path: string, text: string): boolean {
  try {
    return readRegularFile(path).toString() === text;
  } catch {
    return false;
  }
}

function refuse(isRefused: boolean, file: string, expected: string, found: string): void {
  if (!isRefused) return;
  const hint = 'name another folder with --out; nothing was touched';
  throw new Failure('not-ours', `the files for a host cannot go to ${file}`, { place: { file }, expected, found, hint });
}
