import picomatch from 'picomatch';

/** Which files of the sources are read, by glob patterns. */
export interface FilePatterns {
  /** If there are any, only files that match one of them are read. */
  readonly include: readonly string[];
  /** Files that match one of them are not read. */
  readonly exclude: readonly string[];
}

/**
 * Decides which files are read, by their path relative to the source that contains them, with `/`. A pattern without `/`
 * matches the name of a file or folder at any depth, and one with `/` the path. A folder that matches stands for its files.
 */
export class FileFilter {
  readonly #isIncluded: (path: string) => boolean;
  readonly #isExcluded: (path: string) => boolean;

  constructor({ include, exclude }: FilePatterns) {
    this.#isIncluded = include.length === 0 ? () => true : matcher(include);
    this.#isExcluded = exclude.length === 0 ? () => false : matcher(exclude);
  }

  /** Whether a file is read. */
  accepts(file: string): boolean {
    return this.#isIncluded(file) && !this.#isExcluded(file);
  }

  /** Whether no file in a folder is read. */
  skips(folder: string): boolean {
    return this.#isExcluded(folder);
  }
}

function matcher(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.flatMap((pattern) => {
    const plain = pattern.replace(/\/+$/, '');
    // as in .gitignore, `/a` is `a` in the top folder
    const glob = plain.includes('/') ? plain.replace(/^\.?\//, '') : `**/${plain}`;
    return [glob, `${glob}/**`];
  });
  return picomatch(globs, { dot: true });
}
