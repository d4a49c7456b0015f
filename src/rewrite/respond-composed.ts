import type { ReadChunk } from './chunks.ts';
import { compose, findPage, type Head, identityOf } from './compose.ts';
import { type Answer, MISSING, resolve } from './resolve.ts';
import { type Asked, addressIn, etagOf, isKnown, short, unchanged, whole } from './respond.ts';

/** Returns the parsed `head.json`, or undefined if there is none. */
export type ReadHead = () => Promise<Head | undefined>;

/**
 * Answers a request from the files of the composed layout, on any runtime with `Response` of the Fetch API. The answers are
 * those of {@link respond} for a static tree without compressed copies, with other ETags. `as_of` selects an earlier state.
 * If a chunk is missing because a publish deleted the state meanwhile, the answer has the new state.
 * @param base the path of the base URL, such as `/api`, or ''
 */
export async function respondComposed(asked: Asked, base: string, readHead: ReadHead, read: ReadChunk): Promise<Response> {
  const { path, query } = addressIn(asked.url);
  const answer = resolve(asked.method, path, query, base);
  if (answer.file === undefined) return short(asked, answer);
  const head = await readHead();
  if (head === undefined) return short(asked, MISSING);
  try {
    return await answerFrom(head, asked, answer, query, read);
  } catch (error) {
    // after a removal, a publish deletes the earlier states at once
    const next = await readHead();
    if (next === undefined || next.log.root === head.log.root) throw error;
    return answerFrom(next, asked, answer, query, read);
  }
}

async function answerFrom(head: Head, asked: Asked, answer: Answer, query: string, read: ReadChunk): Promise<Response> {
  const found = await findPage(head, String(answer.file), query, read);
  if (found === undefined) return short(asked, MISSING);
  if ('status' in found) return short(asked, found);
  const headers = new Headers(answer.headers);
  // the state identifies the bytes, so a client that has the page costs no read of a chunk
  headers.set('ETag', await etagOf(new TextEncoder().encode(identityOf(found))));
  return isKnown(asked, headers) ? unchanged(headers) : whole(asked, headers, joined(await compose(found, read)));
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}
