import { resolveWithBrowse } from './browse.ts';
import { MISSING } from './resolve.ts';
import { type Asked, addressIn, type Encoding, page, type ReadFile, respond, short } from './respond.ts';

/** Answers a request as `respond` does, but with browse files, which are always sent without compression. */
export async function respondWithBrowse(asked: Asked, base: string, read: ReadFile, encodings: readonly Encoding[]): Promise<Response> {
  const { path, query } = addressIn(asked.url);
  const answer = resolveWithBrowse(asked.method, path, query, base, asked.headers.get('Accept') ?? '');
  if (answer.file?.endsWith('.json')) return respond(asked, base, read, encodings);
  const bytes = answer.file === undefined ? undefined : await read(answer.file);
  if (bytes === undefined) return short(asked, answer.file === undefined ? answer : (answer.missing ?? MISSING));
  return await page(asked, new Headers(answer.headers), bytes);
}
