import type { Host } from './host.ts';

/** How much a tree is for a host to take. */
export interface Extent {
  readonly files: number;
  readonly largest: { readonly path: string; readonly bytes: number };
}

/** What of a tree is more than a host takes. */
export interface Excess {
  /** The file that is too large; not there where there are too many. */
  readonly path?: string;
  readonly expected: string;
  readonly found: string;
  readonly hint: string;
}

/** Holds a tree to a host's limits: undefined where the host takes it. */
export function excess({ limits }: Pick<Host, 'limits'>, { files, largest }: Extent): Excess | undefined {
  const { files: mostFiles = Number.POSITIVE_INFINITY, fileBytes = Number.POSITIVE_INFINITY, source } = limits;
  if (files > mostFiles) {
    return {
      expected: `${words(mostFiles)} files at the most (${source})`,
      found: `${words(files)} files`,
      hint: 'build with larger pages, without --compress, or choose another host',
    };
  }
  if (largest.bytes > fileBytes) {
    return {
      path: largest.path,
      expected: `${words(fileBytes)} bytes a file at the most (${source})`,
      found: `${words(largest.bytes)} bytes`,
      hint: 'build with smaller pages, or choose another host',
    };
  }
  return undefined;
}

function words(value: number): string {
  return value.toLocaleString('en-US');
}
