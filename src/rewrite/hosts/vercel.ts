import { inlined } from '../program.ts';
import type { Host } from './host.ts';

export const vercel: Host = {
  name: 'vercel',
  title: 'Vercel',
  testedOn: "edge-runtime, Vercel's own, before a static origin, and its validator; where the middleware runs is imitated",
  cannot: {
    'unknown-path': 'what is no collection goes on to the files',
    gzip: 'Vercel compresses on the way to the client',
    brotli: 'Vercel compresses on the way to the client',
    'rare-methods': 'a Request of the Fetch API cannot be TRACE: the function is not asked',
  },
  untested: {
    'content-etag': 'the ETag is of the content, if Vercel hands the middleware the file as it is now',
    'encoded-path': 'which paths come to the middleware is decided by Vercel',
    'exact-path': 'which paths come to the middleware is decided by Vercel',
    'unknown-methods': 'the servers that stand before the middleware answer them',
  },
  limits: {},
  render: ({ base, program }) => [
    {
      path: 'vercel.json',
      where: 'the root of what is deployed, beside the folder of the tree',
      text: `{
  "framework": null,
  "buildCommand": null,
  "installCommand": null,
  "outputDirectory": "out",
  "headers": [
    {
      "source": "/rest/(.*)",
      "headers": [
        { "key": "Content-Type", "value": "application/json" },
        { "key": "Cache-Control", "value": "public, max-age=0, must-revalidate" },
        { "key": "Access-Control-Allow-Origin", "value": "*" }
      ]
    }
  ]
}
`,
    },
    {
      path: 'middleware.js',
      where: 'beside vercel.json',
      text: `// Answers from a tree of palimpsest on Vercel. Rules with "has" could lead ?page=2 to its file, but answer neither
// 404 nor 405, and take the first of repeats.

// The lines that matter: the path of the base URL, and, with the same path, which requests come here.
const BASE = '${base}';

export const config = {
  matcher: ['${base}/rest/data', '${base}/rest/data/', '${base}/rest/account', '${base}/rest/account/'],
};

export default function middleware(request) {
  return respond(request, BASE, (path) => read(new URL(\`/\${path}\`, request.url)), []);
}

async function read(url) {
  const file = await fetch(url);
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

${inlined(program, 'resolve', 'respond')}`,
    },
  ],
  steps: ['npx vercel deploy --prod'],
};
