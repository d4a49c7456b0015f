import { createReadStream, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Failure } from '../../contract/failure.ts';
import { fileHead } from '../../contract/files/file-bytes.ts';
import { schemeOf } from '../../contract/files/url-scheme.ts';
import { IDENTITIES } from '../../warc/account-identities.ts';
import { type Input, type RemoteSources, STANDARD_INPUT } from '../source.ts';
import { sourceOf, withoutFiles } from '../unpack/archive-member.ts';
import { isCompressed } from '../unpack/decompression.ts';
import { HEADER_BYTES, isTar, isZip } from '../unpack/detect-format.ts';
import { withCopiesMarked } from './compressed-copy.ts';
import { FileFilter, type FilePatterns } from './file-filter.ts';

/** How many bytes of a file are read at once. */
const CHUNK_BYTES = 1 << 18;

/**
 * Returns the inputs that the sources name: files, folders, `-` for standard input, and addresses on other machines. Folders
 * are read recursively in the order of their names.
 * Hidden files, pipes, sockets and devices in a folder are skipped. Of a built tree only the pages are read, of a bag only
 * the payload and the tag file with identities. A file or folder inside a folder that cannot be read becomes an input that fails when it is opened. A file
 * that does not match the patterns is an input if it may be an archive, because its members may match.
 * @throws Failure no-source if a path does not exist, cannot be read, or has no files that match the patterns
 */
export function inputsOf(
  sources: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  patterns: FilePatterns = { include: [], exclude: [] },
  remote?: RemoteSources,
): Input[] {
  const inputs: Input[] = [];
  const filter = patterns.include.length + patterns.exclude.length === 0 ? undefined : new FileFilter(patterns);
  if (sources.indexOf('-') !== sources.lastIndexOf('-')) {
    throw new Failure('usage', 'standard input can be read only once', {
      expected: 'at most one -',
      found: 'several',
      hint: 'name - only once',
    });
  }
  for (const source of sources) {
    const before = inputs.length;
    if (source === '-') inputs.push({ name: STANDARD_INPUT, size: undefined, open: () => stdin, ...filtered(filter, '', true) });
    else if (remote !== undefined && schemeOf(source) !== undefined) inputs.push(remoteInput(source, remote, filter));
    else addSource(source, inputs, filter);
    if (inputs.length === before && filter === undefined) throw withoutFiles(source);
  }
  if (inputs.length === 0 && filter !== undefined) throw filter.noMatch(sources);
  return withCopiesMarked(inputs);
}

/**
 * Returns the input with a name that an earlier run used. It may be a member of an archive.
 * @param remote opens names that are not on this machine
 */
export function inputNamed(name: string, remote?: RemoteSources): Input {
  const { source, member } = sourceOf(name);
  const input = remote !== undefined && schemeOf(source) !== undefined ? remoteInput(source, remote, undefined) : fileInput(source);
  if (member === undefined) return input;
  const filter = { acceptsFile: () => false, accepts: (path: string) => path === member, throwIfNone: () => {} };
  return { ...input, filter };
}

/** Returns the input for a file. The file does not have to exist before the input is opened. */
export function fileInput(path: string, size?: number): Input {
  return { name: path, path, size, open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }) };
}

/** What a walk through the folders of a source needs. */
interface Walk {
  /** The path that was named as the source. */
  readonly source: string;
  readonly inputs: Input[];
  readonly filter: FileFilter | undefined;
  /** The folders visited so far, because a symlink may form a cycle. */
  readonly walked: Set<string>;
}

/** @throws Failure no-source if the path itself cannot be read */
function addSource(path: string, inputs: Input[], filter: FileFilter | undefined): void {
  const status = orFailure(path, () => statSync(path));
  if (status instanceof Failure) throw status;
  const inside = treeAround(path);
  if (status.isDirectory()) {
    const failure = addFolder(path, { source: path, inputs, filter, walked: new Set() }, inside);
    if (failure !== undefined) throw failure;
  } else if (mayBeRead(basename(path), filter, () => isArchive(path))) {
    // a pipe may be named directly, but reading a pipe found in a folder would block
    const input = fileInput(path, status.isFile() ? status.size : undefined);
    inputs.push({ ...input, isNamed: true, ...inside, ...filtered(filter, basename(path), true) });
  }
}

/** Returns the tree of a path that is inside its folder `rest`. */
function treeAround(path: string): Parent {
  for (let at = resolve(path), tree = dirname(at); at !== tree; at = tree, tree = dirname(at)) {
    if (basename(at) === 'rest' && existsSync(join(tree, 'build.json'))) return { tree };
  }
  return {};
}

type Parent = Pick<Input, 'bag' | 'tree'>;

/**
 * Adds the files of a folder.
 * @returns the failure if the folder cannot be read
 */
function addFolder(path: string, walk: Walk, inside: Parent = {}): Failure | undefined {
  const { walked } = walk;
  const folder = orFailure(path, () => realpathSync(path));
  if (folder instanceof Failure) return folder;
  if (walked.has(folder)) return undefined;
  walked.add(folder);
  const names = orFailure(path, () => readdirSync(path));
  if (names instanceof Failure) return names;
  const all = new Set(names);
  const isTree = all.has('build.json') && all.has('rest');
  const isBag = all.has('bagit.txt') && all.has('data');
  const only = isTree ? ['rest'] : isBag ? [IDENTITIES.file, 'data'].filter((name) => all.has(name)) : undefined;
  const visible = only ?? names.filter((name) => !name.startsWith('.')).sort();
  const parent = { ...inside, ...(isBag ? { bag: path } : {}), ...(isTree ? { tree: path } : {}) };
  for (const name of visible) addEntry(join(path, name), walk, parent);
  return undefined;
}

function addEntry(path: string, walk: Walk, inside: Parent): void {
  const { source, inputs, filter } = walk;
  const inSource = filter === undefined ? '' : relative(source, path).replaceAll(sep, '/');
  const status = orFailure(path, () => statSync(path));
  if (status instanceof Failure) {
    if (filter?.accepts(inSource) ?? true) inputs.push(unreadable(path, status));
  } else if (status.isDirectory()) {
    if (filter?.skips(inSource)) return;
    const failure = addFolder(path, walk, inside);
    if (failure !== undefined) inputs.push(unreadable(path, failure));
  } else if (status.isFile() && mayBeRead(inSource, filter, () => isArchive(path))) {
    inputs.push({ ...fileInput(path, status.size), ...inside, ...filtered(filter, inSource, false) });
  }
}

/** Whether a file is accepted, or may be an archive with members that are. */
function mayBeRead(inSource: string, filter: FileFilter | undefined, mayBeArchive: () => boolean): boolean {
  return filter === undefined || filter.accepts(inSource) || (!filter.skips(inSource) && mayBeArchive());
}

function isArchive(path: string): boolean {
  const head = fileHead(path, HEADER_BYTES);
  return isTar(head) || isZip(head) || isCompressed(head);
}

function filtered(filter: FileFilter | undefined, inSource: string, isSource: boolean): Pick<Input, 'filter'> {
  return filter === undefined ? {} : { filter: filter.inside(inSource, isSource) };
}

/** Returns an input that fails when it is opened, so that a run reports it with all other errors. */
function unreadable(path: string, failure: Failure): Input {
  const open = () => {
    throw failure;
  };
  return { name: path, size: undefined, open };
}

/** Returns the result, or a Failure no-source instead of the error of the file system. */
function orFailure<T>(path: string, look: () => T): T | Failure {
  try {
    return look();
  } catch (cause) {
    return new Failure('no-source', `cannot read ${path}`, {
      place: { file: path },
      expected: 'a file or folder that can be read, or - for standard input',
      found: cause instanceof Error ? cause.message : 'nothing',
      hint: 'check the path and its permissions',
      cause,
    });
  }
}

/** Names of files that are archives or compressed. Reading the content of every object to detect this would cost a request. */
const ARCHIVE_NAME = /\.(tar|tgz|tbz2?|txz|tzst|zip|gz|bz2|xz|zst)$/i;

/** Returns the input for a source on another machine: a URL, or a prefix of an object store with all its objects. */
function remoteInput(address: string, remote: RemoteSources, filter: FileFilter | undefined): Input {
  const isUrl = /^https?:/i.test(address);
  const input = { size: undefined, open: () => remote.download(address), isNamed: true };
  if (!isUrl) return { ...input, name: address, pages: () => objectsAt(address, remote, filter), ...filtered(filter, '', true) };
  const { origin, pathname } = new URL(address);
  // a query often has a signature, which is a secret
  return { ...input, name: origin + pathname, ...filtered(filter, basename(pathname), true) };
}

/** Hidden objects and markers of folders are skipped. */
async function* objectsAt(address: string, remote: RemoteSources, filter: FileFilter | undefined): AsyncGenerator<Input> {
  let objects = 0;
  for await (const { name, path, size, open } of remote.objects(address)) {
    const parts = path.split('/');
    if (name.endsWith('/') || parts.some((part) => part.startsWith('.'))) continue;
    objects += 1;
    const inSource = path === '' ? basename(name) : path;
    const mayBeArchive = () => ARCHIVE_NAME.test(inSource);
    if (mayBeRead(inSource, filter, mayBeArchive)) yield { name, size, open, ...filtered(filter, inSource, path === '') };
  }
  if (objects === 0) throw withoutFiles(address);
}
