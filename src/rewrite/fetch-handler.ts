import { type Asked, answer, type Source } from './answer.ts';
import type { Tools } from './versions.ts';

/** What runtimes with the Fetch API provide. */
export const WEB_TOOLS: Tools = {
  sha256: async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  gunzip: async (bytes) => {
    const stream = new Response(bytes).body?.pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  },
};

/**
 * Answers a request on any runtime with `Response` of the Fetch API.
 * @param base the path of the base URL, such as `/api`, or ''
 * @param log writes a line into the log of the host
 */
export async function respond(asked: Asked, base: string, source: Source, log: (line: string) => void): Promise<Response> {
  const { status, headers, body, problem } = await answer(asked, base, source);
  if (problem !== undefined) log(`palimpsest: ${problem}`);
  // Cloudflare sends bytes that have a content coding already only with this option
  const options = { status, headers, encodeBody: 'manual' };
  return new Response(asked.method === 'HEAD' || body === undefined ? null : body, options);
}
