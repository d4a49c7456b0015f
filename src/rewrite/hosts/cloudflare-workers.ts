import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const cloudflareWorkers: Host = {
  name: 'cloudflare-workers',
  title: 'Cloudflare Workers',
  testedOn: 'workerd, the runtime of Cloudflare Workers, through miniflare',
  cannot: {
    gzip: 'Cloudflare compresses responses itself; compressed copies would only count against the file limit',
    brotli: 'Cloudflare compresses responses itself; compressed copies would only count against the file limit',
    'exact-path': 'workerd removes dot segments before a script sees the path',
    'unknown-methods': 'workerd rejects them itself, with 501',
  },
  limits: { files: 100_000, fileBytes: 25 * 1024 * 1024, source: 'paid plan; the free plan allows 20,000 files' },
  render: ({ base, domain, program }) => [
    {
      path: 'wrangler.jsonc',
      where: 'beside worker.js and the folder of the tree',
      text: `{
  "name": "palimpsest",
  "main": "worker.js",
  "compatibility_date": "2025-01-01",
  "routes": [{ "pattern": "${domain}${base}/*", "zone_name": "${domain}" }], // <-- the zone that contains the address
  "assets": {
    "directory": "out", // <-- the folder that palimpsest build writes
    "binding": "ASSETS",
    // The worker runs first. Files are found only by their exact names.
    "run_worker_first": true,
    "html_handling": "none",
    "not_found_handling": "none"
  }
}
`,
    },
    {
      path: 'worker.js',
      where: 'beside wrangler.jsonc',
      text: `// Answers from a palimpsest tree on Cloudflare Workers. _redirects cannot do this: its rules ignore the query.

// Check this line: the path of the base URL.
const BASE = '${base}';

export default {
  fetch: (request, env) => respond(request, BASE, (path) => read(env.ASSETS, path), []),
};

async function read(assets, path) {
  const file = await assets.fetch(\`https://assets.local/\${path}\`);
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

${inlined(program, 'resolve', 'respond')}`,
    },
  ],
  steps: ['npx wrangler deploy'],
};
