import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ObjectHeaders } from './target.ts';

/** What a publisher decides about how pages are answered. */
export interface HeaderChoice {
  readonly cacheControl: string;
  readonly gzip: boolean;
}

/** Pages change under the same address: every reader asks whether they have. */
export const REVALIDATE = 'public, max-age=0, must-revalidate';

const pack = promisify(gzip);

/** The headers of a page. */
export function pageHeaders({ cacheControl, gzip }: HeaderChoice): ObjectHeaders {
  return { contentType: 'application/json', cacheControl, contentEncoding: gzip ? 'gzip' : '' };
}

/** The headers of what stands beside the pages, which tools read: never compressed. */
export function plainHeaders(path: string): ObjectHeaders {
  const contentType = path.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
  return { contentType, cacheControl: REVALIDATE, contentEncoding: '' };
}

/** Bytes as the store is to keep them. */
export async function encoded(bytes: Buffer, headers: ObjectHeaders): Promise<Buffer> {
  return headers.contentEncoding === 'gzip' ? pack(bytes) : bytes;
}

/** One line for all headers, equal where they are. */
export function headerLine({ contentType, cacheControl, contentEncoding }: ObjectHeaders): string {
  return [contentType, cacheControl, contentEncoding].join(' | ');
}
