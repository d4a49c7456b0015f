import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';

/** Cloudflare Workers in front of an R2 bucket to which a tree of the composed layout was published. */
export const cloudflareWorkersComposed: ComposedHost = {
  testedOn: 'workerd, the runtime of Cloudflare Workers, with a bucket of R2, through miniflare',
  cannot: {
    gzip: 'Cloudflare compresses responses itself',
    brotli: 'Cloudflare compresses responses itself',
    'exact-path': 'workerd removes dot segments before a script sees the path',
    'unknown-methods': 'workerd rejects them itself, with 501',
  },
  render: ({ base, domain, origin, program }) => [
    {
      path: 'wrangler.jsonc',
      where: 'beside worker.js',
      text: `{
  "name": "palimpsest",
  "main": "worker.js",
  "compatibility_date": "2025-01-01",
  "routes": [{ "pattern": "${domain}${base}/*", "zone_name": "${domain}" }], // <-- the zone that contains the address
  "r2_buckets": [{ "binding": "TREE", "bucket_name": "palimpsest" }] // <-- the bucket to which the tree was published
}
`,
    },
    {
      path: 'worker.js',
      where: 'beside wrangler.jsonc',
      text: `// Composes pages from a palimpsest tree in a bucket of Cloudflare R2.

// Check these lines: the path of the base URL, and the prefix of the tree in the bucket, such as 'history/'.
const BASE = '${base}';
const PREFIX = '';

export default {
  fetch: (request, env, context) =>
    respondComposed(request, BASE, () => readHead(env.TREE), (hash) => readChunk(env.TREE, context, hash)),
};

// The bucket sends head.json only if it changed. A cache that answers without the bucket would return old states after new ones.
let known = {};
async function readHead(bucket) {
  const before = known;
  const object = await bucket.get(\`\${PREFIX}head.json\`, before.etag && { onlyIf: { etagDoesNotMatch: before.etag } });
  if (object === null) return undefined;
  if (!('body' in object)) return before.head;
  const current = { etag: object.etag, head: await object.json() };
  known = current;
  return current.head;
}

// Chunks never change: the cache of Cloudflare's data center keeps them.
async function readChunk(bucket, context, hash) {
  const key = \`${origin}${base}/\${chunkPath(hash)}\`;
  const kept = await caches.default.match(key);
  if (kept) return new Uint8Array(await kept.arrayBuffer());
  const object = await bucket.get(PREFIX + chunkPath(hash));
  if (object === null) throw new Error(\`there is no \${PREFIX}\${chunkPath(hash)}\`);
  const bytes = new Uint8Array(await object.arrayBuffer());
  context.waitUntil(caches.default.put(key, new Response(bytes, { headers: { 'Cache-Control': CHUNK_CACHE_CONTROL } })));
  return bytes;
}

${inlinedComposed(program)}`,
    },
  ],
  steps: ['npx wrangler deploy'],
};
