import { inlinedFetchHandler, sourceOf } from '../inlined-modules.ts';
import type { Host } from './host.ts';

const WORKERD = {
  'exact-path': 'workerd removes dot segments before a script sees the path',
  'unknown-methods': 'workerd rejects them itself, with 501',
};
const COMPRESSION = 'Cloudflare compresses responses itself; compressed copies would only count against the file limit';

export const host: Host = {
  name: 'cloudflare-workers',
  title: 'Cloudflare Workers',
  testedOn: 'workerd, the runtime of Cloudflare Workers, through miniflare',
  cannot: { gzip: COMPRESSION, brotli: COMPRESSION, ...WORKERD },
  untested: { 'unreadable-files': 'no test makes a file of a deployment unreadable' },
  limits: { files: 100_000, fileBytes: 25 * 1024 * 1024, source: 'paid plan; the free plan allows 20,000 files' },
  withVersions: {
    testedOn: 'workerd, the runtime of Cloudflare Workers, with a bucket of R2, through miniflare',
    // Cloudflare itself compresses with Brotli what a worker sends without compression
    cannot: WORKERD,
  },
  render: (site) => [
    {
      path: 'wrangler.jsonc',
      where: site.hasVersions ? 'beside worker.js' : 'beside worker.js and the folder of the tree',
      text: `{
  "name": "palimpsest",
  "main": "worker.js",
  "compatibility_date": "2025-01-01",
  "routes": [{ "pattern": "${site.domain}${site.base}/*", "zone_name": "${site.domain}" }], // <-- the zone that contains the address
${site.hasVersions ? BUCKET : ASSETS}}
`,
    },
    {
      path: 'worker.js',
      where: 'beside wrangler.jsonc',
      text: `// Answers from a palimpsest ${site.hasVersions ? 'site with versions in a bucket of R2' : 'tree on Cloudflare Workers. _redirects cannot do this: its rules ignore the query'}.

${site.hasVersions ? `// Check these lines: the path of the base URL, and the prefix of head.json in the bucket, such as 'history/'.\nconst PREFIX = '';` : '// Check this line: the path of the base URL.'}
const BASE = '${site.base}';

export default {
  fetch: (request, env) => respond(${site.hasVersions ? 'asClient(request)' : 'request'}, BASE, ${sourceOf(site, '(path, range) => open(env.TREE, path, range)', '[]')}, console.error),
};

${site.hasVersions ? OPEN_OBJECT : OPEN_ASSET}
${inlinedFetchHandler(site)}`,
    },
  ],
  steps: ['npx wrangler deploy'],
};

const ASSETS = `  "assets": {
    "directory": "out", // <-- the folder that palimpsest build writes
    "binding": "TREE",
    // The worker runs first. Files are found only by their exact names.
    "run_worker_first": true,
    "html_handling": "none",
    "not_found_handling": "none"
  }
`;

const BUCKET = `  "r2_buckets": [{ "binding": "TREE", "bucket_name": "palimpsest" }] // <-- the bucket to which the versions were published
`;

const OPEN_ASSET = `async function open(assets, path) {
  return bytesOf(await assets.fetch(\`https://assets.local/\${path}\`));
}
`;

const OPEN_OBJECT = `// Cloudflare replaces the client's Accept-Encoding.
function asClient(request) {
  const get = (name) => (name === 'Accept-Encoding' ? request.cf?.clientAcceptEncoding : request.headers.get(name));
  return { method: request.method, url: request.url, headers: { get } };
}

async function open(bucket, path, range) {
  const object = await bucket.get(PREFIX + path, range && { range: { offset: range.from, length: range.length } });
  return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
}
`;
