import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { outputFileSync } from 'fs-extra/esm';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { Host, HostFile } from '../rewrite/hosts/host.ts';
import { HOSTS } from '../rewrite/hosts/registry.ts';
import { REFUSED } from '../rewrite/hosts/unsupported.ts';
import { readBuildRecord } from '../tree/build-record.ts';
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
    for (const file of files) outputFileSync(join(out, file.path), file.text);
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
