import { accepts, hexOf, type Open, type Source } from './answer.ts';

/** A content coding, and the suffix of files with that coding. */
export interface Encoding {
  readonly name: string;
  readonly suffix: string;
}

/**
 * Returns the source of a tree with pages as files. The ETag is a hash of the bytes.
 * @param encodings the encodings in which the tree may have pages, in order of preference; browse files have none
 */
export function inFiles(open: Open, encodings: readonly Encoding[]): Source {
  return {
    hasPast: false,
    find: async ({ file, missing }, accepted) => {
      const possible = file.startsWith('rest/') ? encodings : [];
      for (const { name, suffix } of [...possible.filter(({ name }) => accepts(accepted, name)), { name: '', suffix: '' }]) {
        const bytes = await open(file + suffix);
        if (bytes === undefined) continue;
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
        return {
          etag: `"${hexOf(digest.subarray(0, 16))}"`,
          headers: possible.length === 0 ? {} : { Vary: 'Accept, Accept-Encoding' },
          read: async () => ({ bytes, coding: name }),
        };
      }
      return missing;
    },
  };
}
