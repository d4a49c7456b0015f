import { CHUNK_CACHE_CONTROL } from '../chunks.ts';
import { inlinedComposed } from '../program.ts';
import type { ComposedHost } from './host.ts';

/** Netlify with a tree of the composed layout among its static files. */
export const netlifyComposed: ComposedHost = {
  testedOn: 'Deno, the runtime of its edge functions, in front of a static origin; the tests simulate the routing of Netlify',
  cannot: {
    'unknown-path': 'a path outside the collections does not reach the function: Netlify answers it from its static files',
    gzip: 'Netlify compresses responses itself',
    brotli: 'Netlify compresses responses itself',
  },
  untested: {
    'encoded-path': 'Netlify decides which paths reach the function',
    'exact-path': 'Netlify decides which paths reach the function',
  },
  render: ({ base, program }) => [
    {
      path: 'netlify.toml',
      where: 'the root of the deployment, beside the folder of the tree',
      text: `# Deploys a palimpsest tree on Netlify. netlify/edge-functions/palimpsest.js composes the pages.

[build]
  publish = "out"   # <-- the folder that palimpsest build writes

[[headers]]
  for = "/chunks/*"
  [headers.values]
    Cache-Control = "${CHUNK_CACHE_CONTROL}"
`,
    },
    {
      path: 'netlify/edge-functions/palimpsest.js',
      where: 'this path, in the folder of netlify.toml',
      text: `// Composes pages from a palimpsest tree on Netlify.

// Check these lines: the path of the base URL, and below it the requests that reach this function.
const BASE = '${base}';

export const config = {
  path: ['${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'],
};

let files;
const read = async (path) => {
  const file = await fetch(new URL(\`/\${path}\`, files));
  if (!file.ok && file.status !== 404) throw new Error(\`\${file.url}: status \${file.status}\`);
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
};
const readHead = headReader(read);
const readChunk = keepChunks(chunkReader(read), 16 * 1024 * 1024);

export default function palimpsest(request) {
  // the static files are on the same host
  files ??= request.url;
  return respondComposed(request, BASE, readHead, readChunk);
}

${inlinedComposed(program)}`,
    },
  ],
  steps: ['npx netlify-cli deploy --prod'],
};
