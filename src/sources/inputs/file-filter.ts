import picomatch from 'picomatch';
import { Failure } from '../../contract/failure.ts';
import type { MemberFilter } from '../source.ts';

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
 * An archive counts as a folder.
 */
export class FileFilter {
  readonly #patterns: FilePatterns;
  readonly #isIncluded: (path: string) => boolean;
  readonly #isExcluded: (path: string) => boolean;
  #hasRead = false;

  constructor(patterns: FilePatterns) {
    const { include, exclude } = patterns;
    this.#patterns = patterns;
    this.#isIncluded = include.length === 0 ? () => true : matcher(include);
    this.#isExcluded = exclude.length === 0 ? () => false : matcher(exclude);
  }

  /** @param paths its path, in each form that patterns may match */
  accepts(...paths: readonly string[]): boolean {
    return paths.some(this.#isIncluded) && !paths.some(this.#isExcluded);
  }

  /** Whether no file in a folder is read. */
  skips(folder: string): boolean {
    return this.#isExcluded(folder);
  }

  /**
   * Returns the filter for the members of a file that may be an archive.
   * @param file its path in the source; '' if it has none
   * @param isSource whether the file is the source, so that a path of a member is also one in the source
   */
  inside(file: string, isSource: boolean): MemberFilter {
    const mark = (isAccepted: boolean) => {
      this.#hasRead ||= isAccepted;
      return isAccepted;
    };
    return {
      acceptsFile: () => mark(file === '' || this.accepts(file)),
      accepts: (member) => mark(this.accepts(...(file === '' ? [] : [`${file}/${member}`]), ...(isSource ? [member] : []))),
      throwIfNone: (sources) => {
        if (!this.#hasRead) throw this.noMatch(sources);
      },
    };
  }

  /** Returns the failure for sources without a file that is read. */
  noMatch(sources: readonly string[]): Failure {
    const { include, exclude } = this.#patterns;
    const [first] = sources;
    return new Failure('no-source', 'no file of the sources matches the patterns', {
      place: sources.length === 1 && first !== undefined ? { file: first } : {},
      expected: include.length > 0 ? `a file that matches ${include.join(' or ')}` : 'a file that is not excluded',
      found: exclude.length > 0 ? `only files that match ${exclude.join(' or ')}, or no files` : 'no such file',
      hint: 'check --include and --exclude: a pattern without / matches the name of a file, a pattern with / matches its path inside the source',
    });
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
