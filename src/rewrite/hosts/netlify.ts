import { inlined } from '../program.ts';
import { BROWSE_TYPES } from '../resolve.ts';
import { PAGE_HEADERS } from './headers.ts';
import type { Host } from './host.ts';

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
    browse: 'at the root of the host, Netlify serves the files of browse/ itself',
    'content-etag': 'the ETag is a hash of the content, if Netlify gives the function the current file',
    'encoded-path': 'Netlify decides which paths reach the function',
    'exact-path': 'Netlify decides which paths reach the function',
  },
  limits: {},
  render: ({ base, browse, program }) => [
    {
      path: 'netlify.toml',
      where: 'the root of the deployment, beside the folder of the tree',
      text: `# Deploys a palimpsest tree on Netlify. netlify/edge-functions/palimpsest.js answers the requests.

[build]
  publish = "out"   # <-- the folder that palimpsest build writes
${browse && base === '' ? BROWSE_HEADERS : ''}`,
    },
    {
      path: 'netlify/edge-functions/palimpsest.js',
      where: 'this path, in the folder of netlify.toml',
      text: `// Answers from a palimpsest tree on Netlify. A redirect with query = { page = ":n" } is not enough: it does not match
// ?page=2&, which would silently return page 1.

// Check these lines: the path of the base URL, and below it the requests that reach this function.
const BASE = '${base}';

export const config = {
  path: ['${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'${browse ? browsePaths(base) : ''}],
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
};

/** Returns the paths of browse files that reach the function. At the root of a host, Netlify itself serves the files. */
function browsePaths(base: string): string {
  return base === '' ? '' : `, '${base}', '${base}/', '${base}/index.html', '${base}/browse/*'`;
}

const BROWSE_HEADERS = `
# Netlify serves the files that people read.
${Object.entries(BROWSE_TYPES)
  .map(
    ([suffix, type]) => `[[headers]]
  for = "/browse/*.${suffix}"
  values = { Content-Type = "${type}", Cache-Control = "${PAGE_HEADERS['Cache-Control']}" }
`,
  )
  .join('')}`;
