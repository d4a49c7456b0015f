import { existsSync } from 'node:fs';
import { Failure } from '../../contract/failure.ts';
import type { DecompressionLimit } from '../../contract/files/decompression-limit.ts';
import { schemeOf } from '../../contract/files/url-scheme.ts';
import { type Input, STANDARD_INPUT } from '../source.ts';

/** Between the name of an archive and the path of a member in it. */
const SEPARATOR = ': ';

/** A file in an archive, as the archive lists it. */
interface Listed {
  readonly path: string;
  readonly open: () => AsyncIterable<Uint8Array>;
}

export function memberInput(archive: Input, { path, open }: Listed, expansion: DecompressionLimit): Input {
  return { name: archive.name + SEPARATOR + path, size: undefined, open, member: { archive: archive.name, path }, expansion };
}

/** Returns the path of a member as its folder shows it, without `./` at its start. */
export function plainPath(path: string): string {
  return path.replace(/^(\.?\/+)+/, '');
}

/** Whether a member is read: it is not hidden, and the patterns of the run accept it. */
export function isRead(archive: Input, path: string): boolean {
  if (path === '' || path.split('/').some((name) => name.startsWith('.') && name !== '..')) return false;
  return archive.filter?.accepts(path) ?? true;
}

/** Returns the source that an input comes from, and the path of the member if it is one of an archive. */
export function sourceOf(name: string): { readonly source: string; readonly member: string | undefined } {
  if (existsSync(name)) return { source: name, member: undefined };
  for (let at = name.indexOf(SEPARATOR); at !== -1; at = name.indexOf(SEPARATOR, at + 1)) {
    const source = name.slice(0, at);
    if (source === STANDARD_INPUT || schemeOf(source) !== undefined || existsSync(source))
      return { source, member: name.slice(at + SEPARATOR.length) };
  }
  return { source: name, member: undefined };
}

/** Returns the failure for a folder, an archive or a prefix without a file that is read. */
export function withoutFiles(source: string): Failure {
  return new Failure('no-source', `${source} contains no files`, {
    place: { file: source },
    expected: 'a folder, an archive or a prefix with files to read',
    found: 'no file, or only hidden files',
    hint: 'check that you named the right source',
  });
}

/** Returns the failure for an archive whose members cannot be read any further. */
export function brokenArchive(file: string, kind: string, found: string, hint = 'download or copy the archive again'): Failure {
  return new Failure('bad-archive', `${file} is damaged or cut short`, {
    place: { file },
    expected: `a complete ${kind}`,
    found,
    hint,
  });
}
