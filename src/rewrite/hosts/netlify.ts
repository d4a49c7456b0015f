import { inlined } from '../program.ts';
import type { Host } from './host.ts';
import { netlifyComposed } from './netlify-composed.ts';

export const netlify: Host = {
  name: 'netlify',
  title: 'Netlify',
  testedOn: 'Deno, the runtime of its edge functions, in front of a static origin; the tests simulate the routing of Netlify',
  cannot: {
    'unknown-path': 'a path outside the collections does not reach the function: Netlify answers it from its static files',
    gzip: 'Netlify compresses responses itself',
    brotli: 'Netlify compresses responses itself',
  },
  untested: {
    'content-etag': 'the ETag is a hash of the content, if Netlify gives the function the current file',
    'encoded-path': 'Netlify decides which paths reach the function',
    'exact-path': 'Netlify decides which paths reach the function',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'netlify.toml',
      where: 'the root of the deployment, beside the folder of the tree',
      text: `# Deploys a palimpsest tree on Netlify. netlify/edge-functions/palimpsest.js answers the requests.

[build]
  publish = "out"   # <-- the folder that palimpsest build writes
`,
    },
    {
      path: 'netlify/edge-functions/palimpsest.js',
      where: 'this path, in the folder of netlify.toml',
      text: `// Answers from a palimpsest tree on Netlify. A redirect with query = { page = ":n" } is not enough: it does not match
// ?page=2&, which would silently return page 1.

// Check these lines: the path of the base URL, and below it the requests that reach this function.
const BASE = '${base}';

export const config = {
  path: ['${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'],
};

export default function palimpsest(request) {
  return respond(request, BASE, (path) => read(new URL(\`/\${path}\`, request.url)), []);
}

async function read(url) {
  const file = await fetch(url);
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

${inlined(program, 'resolve', 'respond')}`,
    },
  ],
  steps: ['npx netlify-cli deploy --prod'],
  composed: netlifyComposed,
};
