/** One line of a manifest: a file's digest and its path. */
export interface ManifestLine {
  readonly digest: string;
  readonly path: string;
}

/** Parses a line of a manifest; returns undefined if it is invalid. */
export function parseLine(line: string): ManifestLine | undefined {
  const match = /^([0-9a-f]{64}) {2}(.+)$/.exec(line);
  return match === null ? undefined : { digest: match[1] ?? '', path: match[2] ?? '' };
}
