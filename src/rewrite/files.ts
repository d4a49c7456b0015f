import { accepts, type Found, hexOf, type Open, type Source, type Wanted } from './answer.ts';
import type { Answer } from './resolve.ts';

/** Finds the pages of a tree as files. Hosts run this source too, in the dialect of answer.ts. */

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
  const find = async (wanted: Wanted, accepted: string): Promise<Found | Answer> => {
    const isPage = /^rest/.test(wanted.file);
    const variants = isPage ? encodings.filter((each) => accepts(accepted, each.name)) : [];
    for (let at = 0; at <= variants.length; at += 1) {
      // after the variants, the file itself
      const variant = variants[at];
      const bytes = await open(wanted.file + (variant ? variant.suffix : ''));
      if (bytes === undefined) continue;
      const digest = await crypto.subtle.digest('SHA-256', bytes);
      return {
        etag: `"${hexOf(new Uint8Array(digest).subarray(0, 16))}"`,
        headers: isPage && encodings.length > 0 ? { Vary: 'Accept, Accept-Encoding' } : {},
        read: async () => ({ bytes, coding: variant ? variant.name : undefined }),
      };
    }
    await checkAbsence(open, wanted.file);
    return wanted.missing;
  };
  return { hasPast: false, find };
}

/** Rejects if the tree should have a missing file: page 1 of each collection is always there, and counts the items on all pages. */
async function checkAbsence(open: Open, file: string): Promise<void> {
  const first = `rest/${/^rest\/account/.test(file) ? 'account' : 'data'}/index.json`;
  let bytes: Uint8Array | undefined;
  if (file !== first) bytes = await open(first);
  if (bytes === undefined) throw new Error(`the tree is missing or incomplete: there is no ${first}`);
  const number = /^rest.*\/page\/(.*)\//.exec(file);
  if (number === null) return;
  const page: { readonly next: unknown; readonly count: number; readonly results: readonly unknown[] } = JSON.parse(
    new TextDecoder().decode(bytes),
  );
  const pages = page.next === null ? 1 : Math.ceil(page.count / page.results.length);
  // false for "last"
  if (!(Number(number[1]) > pages)) throw new Error(`the file is missing, although ${first} counts ${pages} pages`);
}

/** Returns undefined for the error of a file that does not exist. Throws every other error. */
export function ifMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (/^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(String(code))) return undefined;
  throw error;
}

/** Returns the bytes of a fetched file. A store answers 403 for a missing object if the client may not list the bucket. */
export async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (response.status === 403 || response.status === 404) return undefined;
  if (!response.ok) throw new Error(`the server of the files answers ${response.status}`);
  const bytes = await response.arrayBuffer();
  return new Uint8Array(bytes);
}
