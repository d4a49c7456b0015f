import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const cloudflareWorkers: Host = {
  name: 'cloudflare-workers',
  title: 'Cloudflare Workers',
  testedOn: 'workerd, their runtime, by miniflare',
  cannot: {
    gzip: 'Cloudflare compresses on the way to the client; variants would only count as files',
    brotli: 'Cloudflare compresses on the way to the client; variants would only count as files',
    'exact-path': 'workerd takes dot segments away before a script sees the path',
    'unknown-methods': 'workerd refuses them by itself, with 501',
  },
  limits: { files: 100_000, fileBytes: 25 * 1024 * 1024, source: 'a paid plan; the free one takes 20,000 files' },
  render: ({ base, domain, program }) => [
    {
      path: 'wrangler.jsonc',
      where: 'beside worker.js and the folder of the tree',
      text: `{
  "name": "palimpsest",
  "main": "worker.js",
  "compatibility_date": "2025-01-01",
  "routes": [{ "pattern": "${domain}${base}/*", "zone_name": "${domain}" }], // <-- the zone that the address is in
  "assets": {
    "directory": "out", // <-- the folder that palimpsest build writes
    "binding": "ASSETS",
    // The worker is asked first, and files are found by their own names and no others.
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
      text: `// Answers from a tree of palimpsest on Cloudflare Workers. _redirects cannot: its rules never see the query.

// The line that matters: the path of the base URL.
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
