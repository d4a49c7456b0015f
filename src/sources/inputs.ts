import { createReadStream, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { FileFilter, type FilePatterns } from './file-filter.ts';
import { STANDARD_INPUT } from './hint-command.ts';
import type { Input } from './source.ts';

/** How many bytes of a file are read at once. */
const CHUNK_BYTES = 1 << 18;

/**
 * Returns the inputs that the paths name. `-` is standard input. Folders are read recursively in the order of
 * their names.
 * Hidden files, pipes, sockets and devices in a folder are skipped. Of a built tree only the pages are read, of a bag only
 * the payload. A file or folder inside a folder that cannot be read becomes an input that fails when it is opened.
 * @param pagesOf reads the pages of a composed tree, which has no files with pages
 * @throws Failure no-source if a path does not exist, cannot be read, or has no files that match the patterns
 */
export function inputsOf(paths: readonly string[], stdin: AsyncIterable<Uint8Array>, patterns?: FilePatterns, pagesOf?: PagesOf): Input[] {
  const inputs: Input[] = [];
  const filter = patterns === undefined || patterns.include.length + patterns.exclude.length === 0 ? undefined : new FileFilter(patterns);
  if (paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new Failure('usage', 'standard input can be read only once', {
      expected: 'at most one -',
      found: 'several',
      hint: 'name - only once',
    });
  }
  for (const path of paths) {
    const before = inputs.length;
    if (path === '-') inputs.push({ name: STANDARD_INPUT, size: undefined, open: () => stdin });
    else addSource(path, inputs, filter, pagesOf);
    if (inputs.length === before && filter === undefined) throw emptyFolder(path);
  }
  if (inputs.length === 0 && patterns !== undefined) throw noMatch(paths, patterns);
  return inputs;
}

/** Returns the input for a file. The file does not have to exist before the input is opened. */
export function fileInput(path: string, size?: number): Input {
  return { name: path, size, open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }) };
}

/** Returns the pages of a tree as inputs; undefined if the folder has no such tree. */
export type PagesOf = (folder: string) => Input[] | undefined;

/** What a walk through the folders of a source needs. */
interface Walk {
  readonly pagesOf: PagesOf | undefined;
  /** The path that was named as the source. */
  readonly source: string;
  readonly inputs: Input[];
  readonly filter: FileFilter | undefined;
  /** The folders visited so far, because a symlink may form a cycle. */
  readonly walked: Set<string>;
}

/** @throws Failure no-source if the path itself cannot be read */
function addSource(path: string, inputs: Input[], filter: FileFilter | undefined, pagesOf: PagesOf | undefined): void {
  const status = orFailure(path, () => statSync(path));
  if (status instanceof Failure) throw status;
  if (status.isDirectory()) {
    const failure = addFolder(path, { source: path, inputs, filter, walked: new Set(), pagesOf });
    if (failure !== undefined) throw failure;
  } else if (filter?.accepts(basename(path)) ?? true) {
    // a pipe may be named directly, but reading a pipe found in a folder would block
    inputs.push(fileInput(path, status.isFile() ? status.size : undefined));
  }
}

/**
 * Adds the files of a folder.
 * @param bag the bag that the folder is in
 * @returns the failure if the folder cannot be read
 */
function addFolder(path: string, walk: Walk, bag?: string): Failure | undefined {
  const { walked } = walk;
  const folder = orFailure(path, () => realpathSync(path));
  if (folder instanceof Failure) return folder;
  if (walked.has(folder)) return undefined;
  walked.add(folder);
  const names = orFailure(path, () => readdirSync(path));
  if (names instanceof Failure) return names;
  const all = new Set(names);
  const pages = all.has('head.json') && all.has('chunks') ? walk.pagesOf?.(path) : undefined;
  if (pages !== undefined) {
    for (const page of pages) walk.inputs.push(page);
    return undefined;
  }
  const isTree = all.has('build.json') && all.has('rest');
  const isBag = all.has('bagit.txt') && all.has('data');
  const only = isTree ? ['rest'] : isBag ? ['data'] : undefined;
  const visible = only ?? names.filter((name) => !name.startsWith('.') && !isVariant(name, all)).sort();
  for (const name of visible) addEntry(join(path, name), walk, isBag ? path : bag);
  return undefined;
}

function addEntry(path: string, walk: Walk, bag: string | undefined): void {
  const { source, inputs, filter } = walk;
  const inSource = filter === undefined ? '' : relative(source, path).replaceAll(sep, '/');
  const isRead = filter?.accepts(inSource) ?? true;
  const status = orFailure(path, () => statSync(path));
  if (status instanceof Failure) {
    if (isRead) inputs.push(unreadable(path, status));
  } else if (status.isDirectory()) {
    if (filter?.skips(inSource)) return;
    const failure = addFolder(path, walk, bag);
    if (failure !== undefined) inputs.push(unreadable(path, failure));
  } else if (status.isFile() && isRead) {
    inputs.push({ ...fileInput(path, status.size), ...(bag === undefined ? {} : { bag }) });
  }
}

/** Returns an input that fails when it is opened, so that a run reports it with all other errors. */
function unreadable(path: string, failure: Failure): Input {
  const open = () => {
    throw failure;
  };
  return { name: path, size: undefined, open };
}

/** Whether a file is the compressed copy of a page. */
function isVariant(name: string, names: ReadonlySet<string>): boolean {
  return (name === 'index.json.gz' || name === 'index.json.br') && names.has('index.json');
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

function emptyFolder(path: string): Failure {
  return new Failure('no-source', `the folder ${path} contains no files`, {
    place: { file: path },
    expected: 'a folder with files to read',
    found: 'a folder without such files',
    hint: 'name the folder that contains the files',
  });
}

function noMatch(paths: readonly string[], { include, exclude }: FilePatterns): Failure {
  const [first] = paths;
  return new Failure('no-source', 'no file of the sources matches the patterns', {
    place: paths.length === 1 && first !== undefined ? { file: first } : {},
    expected: include.length > 0 ? `a file that matches ${include.join(' or ')}` : 'a file that is not excluded',
    found: exclude.length > 0 ? `only files that match ${exclude.join(' or ')}, or no files` : 'no such file',
    hint: 'check --include and --exclude: a pattern without / matches the name of a file, a pattern with / matches its path inside the source',
  });
}
