import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { VERSIONS_MARKER } from '../contract/files/markers.ts';
import { isObject } from '../contract/json.ts';
import type { Host, PublishedSite } from '../rewrite/hosts/host.ts';
import type { Module } from '../rewrite/inlined-modules.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { formOf } from '../tree/tree-files.ts';
import { HEAD } from '../versions/commit-format.ts';
import { checkLimits, treeSizeOf } from './host-limits.ts';

/** What a path has: pages as files, the ZIP of a tree, or the versions of a site. */
type SiteForm = 'files' | 'zip' | 'versions';

/** Decides what a path has or will have. */
export function siteForm(out: string): SiteForm {
  if (formOf(out) === 'zip') return 'zip';
  return existsSync(join(out, HEAD)) ? 'versions' : 'files';
}

/** Returns the path of the tree: of a folder with versions, the ZIP of the current one, or the folder if it cannot be read. */
export function treeAt(out: string): string {
  if (siteForm(out) !== 'versions') return out;
  const versions = headIn(out)['versions'];
  const current: unknown = Array.isArray(versions) ? versions.at(-1) : undefined;
  return isObject(current) && typeof current['file'] === 'string' ? join(out, current['file']) : out;
}

/** Returns the fields of the head of a folder with versions; none if it cannot be read. */
function headIn(out: string): { readonly [field: string]: unknown } {
  try {
    const head: unknown = JSON.parse(readFileSync(join(out, HEAD), 'utf8'));
    return isObject(head) ? head : {};
  } catch {
    return {};
  }
}

/**
 * Refuses a folder with versions of a store, and one whose head cannot be read: it is no folder without a tree, into which one could build.
 * @throws Failure no-tree, other-form
 */
export function refuseOtherVersions(out: string): void {
  if (!existsSync(join(out, VERSIONS_MARKER))) return;
  const file = join(out, HEAD);
  if (headIn(out)['kind'] === 'store') {
    throw new Failure('other-form', `${out} has versions of a store`, {
      place: { file },
      expected: 'a folder or a ZIP that palimpsest build made, or versions of a site',
      found: 'versions of a store',
      hint: 'name another folder or ZIP with --out',
    });
  }
  if (treeAt(out) !== out) return;
  throw new Failure('no-tree', `${HEAD} of the versions in ${out} is missing or damaged`, {
    place: { file },
    expected: 'a copy of the newest commit',
    found: existsSync(file) ? 'a damaged file' : 'no file',
    hint: 'publish again, which writes it again; or copy the folder again',
  });
}

/**
 * Returns the site of a tree, from its build record, or from head.json of a site with versions.
 * @returns undefined if there is no finished tree
 * @throws Failure no-tree if the head of a folder with versions cannot be read; other-form if they are of a store; host-limit if the tree exceeds a limit of the host;
 *   usage if no rules can be written for its base URL
 */
export function siteOf(out: string, host: Host, hasVersions: boolean): PublishedSite | undefined {
  refuseOtherVersions(out);
  const record = readBuildRecord(treeAt(out));
  if (typeof record !== 'object') return undefined;
  if (siteForm(out) === 'files') checkLimits(host, out, treeSizeOf(out));
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

/** Returns the error for a path that a user named as a tree, if it has none. */
export function noTree(out: string): Failure {
  return new Failure('no-tree', `there is no finished tree in ${out}`, {
    place: { file: out },
    expected: 'a folder or ZIP that palimpsest build made, or a folder to which versions were published',
    found: 'no build.json, or the build.json of an unfinished build',
    hint: 'name the tree with --out, and the folder for the files of the host with --to',
  });
}
