import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const netlify: Host = {
  name: 'netlify',
  title: 'Netlify',
  testedOn: 'Deno, the runtime of its edge functions, before a static origin; where the function runs is imitated',
  cannot: {
    'unknown-path': 'what is no collection goes on to the files',
    gzip: 'Netlify compresses on the way to the client',
    brotli: 'Netlify compresses on the way to the client',
  },
  untested: {
    'content-etag': 'the ETag is of the content, if Netlify hands the function the file as it is now',
    'encoded-path': 'which paths come to the function is decided by Netlify',
    'exact-path': 'which paths come to the function is decided by Netlify',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'netlify.toml',
      where: 'to the root of what is deployed, beside the folder of the tree',
      text: `# A tree of palimpsest on Netlify, answered by netlify/edge-functions/palimpsest.js.

[build]
  publish = "out"   # <-- the folder that palimpsest build writes
`,
    },
    {
      path: 'netlify/edge-functions/palimpsest.js',
      where: 'below netlify.toml, at this path',
      text: `// Answers from a tree of palimpsest on Netlify. A redirect with query = { page = ":n" } is no way round: it does not
// match ?page=2&, and page 1 would be answered in silence.

// The lines that matter: the path of the base URL, and, with the same path, which requests come here.
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
};
