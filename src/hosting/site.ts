import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import type { Host, PublishedSite } from '../rewrite/hosts/host.ts';
import { excess } from '../rewrite/hosts/limits.ts';
import type { Module } from '../rewrite/program.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { extentOf } from '../tree/extent.ts';
import { refuseWithoutHead, siteForm, treeAt } from './found-site.ts';

/**
 * Returns the site of a tree, from its build record, or from head.json of a site with versions.
 * @returns undefined if there is no finished tree
 * @throws Failure no-tree if the head of a folder with versions cannot be read; host-limit if the tree exceeds a limit of the host;
 *   usage if no rules can be written for its base URL
 */
export function siteOf(out: string, host: Host, hasVersions: boolean): PublishedSite | undefined {
  refuseWithoutHead(out);
  const record = readBuildRecord(treeAt(out));
  if (typeof record !== 'object') return undefined;
  if (siteForm(out) === 'files') refuseTooMuch(host, out);
  const { origin, hostname, pathname } = new URL(record.base_url);
  const base = pathname === '/' ? '' : pathname;
  if (/^[\w.~/-]*$/.test(base)) {
    return { origin, domain: hostname, base, browse: record.browse_files !== undefined, hasVersions, program };
  }
  throw new Failure('usage', `rules for ${record.base_url} cannot be written`, {
    expected: 'a base URL whose path has only letters, digits and ._~/-: hosts read other characters differently',
    found: base,
    hint: 'build again with another --base-url',
  });
}

/** Returns an example site at the root of a host and without browse files, for users without a tree. */
export function siteWithoutTree(hasVersions: boolean): PublishedSite {
  return { origin: 'https://example.org', domain: 'example.org', base: '', browse: false, hasVersions, program };
}

/** Returns the text of a compiled module of src/rewrite. */
function program(name: Module): string {
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

/** Returns the error for a path that a user named as a tree, if it has none. */
export function noTree(out: string): Failure {
  return new Failure('no-tree', `there is no finished tree in ${out}`, {
    place: { file: out },
    expected: 'a folder or ZIP that palimpsest build made, or a folder to which versions were published',
    found: 'no build.json, or the build.json of an unfinished build',
    hint: 'name the tree with --out, and the folder for the files of the host with --host-files',
  });
}
