import type { Host } from './host.ts';

/** The size of a tree, for the comparison with the limits of a host. */
export interface Extent {
  readonly files: number;
  readonly largest: { readonly path: string; readonly bytes: number };
}

/** A limit of a host that a tree exceeds. */
export interface Excess {
  /** The file that is too large; undefined if the tree has too many files. */
  readonly path?: string;
  readonly expected: string;
  readonly found: string;
  readonly hint: string;
}

/** Returns the limit of a host that a tree exceeds, or undefined if the tree is within all limits. */
export function excess({ limits }: Pick<Host, 'limits'>, { files, largest }: Extent): Excess | undefined {
  const { files: maxFiles = Number.POSITIVE_INFINITY, fileBytes = Number.POSITIVE_INFINITY, source } = limits;
  if (files > maxFiles) {
    return {
      expected: `at most ${formatted(maxFiles)} files (${source})`,
      found: `${formatted(files)} files`,
      hint: 'build with larger pages or without --compress, or choose another host',
    };
  }
  if (largest.bytes > fileBytes) {
    return {
      path: largest.path,
      expected: `at most ${formatted(fileBytes)} bytes per file (${source})`,
      found: `${formatted(largest.bytes)} bytes`,
      hint: 'build with smaller pages, or choose another host',
    };
  }
  return undefined;
}

function formatted(value: number): string {
  return value.toLocaleString('en-US');
}
